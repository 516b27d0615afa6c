import { CircleAlert, Server, UserPlus } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import {
  agentTexts,
  type FleetView,
  hourlyCost,
  type MachinePlace,
  type MachineView,
  machineStatus,
} from "#shared/domain/places/machine-view.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { Button, LinkButton } from "../../kit/button.tsx";
import { EmptyState } from "../../kit/empty-state.tsx";
import { type KeyTable, takeKey } from "../../kit/key-table.ts";
import { IndeterminateLine } from "../../kit/load-failure.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { type Feature, type Page, pageAction } from "../../registry/feature.ts";
import { useHost } from "../../state/host-store.ts";
import { runsOf } from "../../state/other-runs.ts";
import { goToWorkerIn, nameAmong } from "../../state/repositories.ts";
import { useRefusal } from "../../state/role.ts";
import { InviteDialog } from "./invite-dialog.tsx";
import { removeWorker, stopAll, toggleDrain } from "./worker-actions.ts";

interface ListPlace {
  readonly machines: readonly MachineView[];
  /** The same, or none. */
  readonly changeable: readonly MachineView[];
  readonly list: HTMLElement;
  /** Index of the worker that has the focus; -1: none has. */
  readonly at: number;
}

const toWorker =
  (step: 1 | -1) =>
  ({ list, at, machines }: ListPlace): boolean => {
    const next = Math.min(machines.length - 1, Math.max(0, at < 0 ? 0 : at + step));
    const button = list.querySelectorAll<HTMLElement>("[data-machine]")[next]?.querySelector("button");
    button?.focus();
    return button != null;
  };

const onWorker =
  (act: (machine: MachineView) => Promise<void>) =>
  ({ changeable, at }: ListPlace): boolean => {
    const machine = changeable[at];
    if (machine) void act(machine);
    return machine !== undefined;
  };

const workerKeys: KeyTable<ListPlace> = {
  place: "In the list of workers",
  rows: [
    { keys: "ArrowUp", what: "the previous worker", run: toWorker(-1) },
    { keys: "ArrowDown", what: "the next worker", run: toWorker(1) },
    { keys: "d", what: "drain the worker, or resume it", run: onWorker(toggleDrain) },
    { keys: "Delete", what: "remove the worker", run: onWorker(removeWorker) },
  ],
};

/** Other machines on which agents work: what they offer, and which agent is where. */
function WorkersPage() {
  const fleet = useHost(({ app }) => app?.fleet ?? null);
  const refusal = useRefusal("machine.setState");
  const [isInviting, setIsInviting] = useState(false);
  if (fleet === null)
    return (
      <div className="h-full" aria-busy="true">
        <IndeterminateLine label="Loading workers" />
      </div>
    );
  const invite = (): void => setIsInviting(true);
  const given = { onInvite: invite, refusal };
  return (
    <>
      {fleet.machines.length === 0 && !fleet.pool?.problem ? (
        <NoWorkers {...given} pool={fleet.pool} />
      ) : (
        <Workers fleet={fleet} {...given} />
      )}
      {isInviting && <InviteDialog machines={fleet.machines} onClose={() => setIsInviting(false)} />}
    </>
  );
}

interface WorkersProps {
  readonly fleet: FleetView;
  readonly onInvite: () => void;
  /** Why this window's person may only look; null: they may do all of it. */
  readonly refusal: string | null;
}

function Workers({ fleet: { machines, isServedElsewhere, pool }, onInvite, refusal }: WorkersProps) {
  const list = useRef<HTMLDivElement>(null);
  const held = machines.reduce(
    (sum, machine) => machine.others.reduce((all, one) => all + one.held, sum + machine.held),
    0,
  );
  const offered = machines.reduce(
    (sum, { about, contact }) => sum + (contact === "connected" ? (about?.capacity ?? 0) : 0),
    0,
  );
  return (
    <div className="flex h-full flex-col">
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b px-4 py-2.5">
        <span className="text-sm text-muted tabular-nums" role="status">
          {counted(machines.length, "worker")} · {held} of {offered} places in use
          {hourlyCost(machines) && ` · ${hourlyCost(machines)}`}
          {pool && ` · pool on ${shownName(pool.name)}`}
        </span>
        <span className="flex-1" />
        <Button look="danger" disabled={refusal !== null} onClick={() => void stopAll(machines)}>
          Remove all…
        </Button>
        <Button look="primary" disabled={refusal !== null} onClick={onInvite}>
          <UserPlus size={13} aria-hidden /> Invite a worker
        </Button>
      </div>
      {pool?.problem && (
        <Note>
          {pool.problem.message} {pool.problem.remedy}
        </Note>
      )}
      {isServedElsewhere && (
        <Note>
          Another Hox on this machine has these workers. Agents of this one work here until it ends.
        </Note>
      )}
      {refusal !== null && <Note>{refusal}</Note>}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the rows, whose buttons have the focus */}
      <div
        ref={list}
        className="min-h-0 flex-1 overflow-y-auto"
        onKeyDown={(event) => {
          const row = event.target instanceof HTMLElement && event.target.closest("[data-machine]");
          const id = row instanceof HTMLElement ? row.dataset.machine : undefined;
          const at = machines.findIndex((one) => one.id === id);
          // Without its role, no key changes anything.
          const changeable = refusal === null ? machines : [];
          takeKey(workerKeys, event, { machines, changeable, list: event.currentTarget, at });
        }}
      >
        {machines.map((machine) => (
          <WorkerRow key={machine.id} machine={machine} isReadOnly={refusal !== null} />
        ))}
      </div>
    </div>
  );
}

const Note = ({ children }: { readonly children: ReactNode }) => (
  <p role="note" className="mx-4 mt-3 rounded-md bg-warning-soft px-3 py-2 text-sm text-warning">
    {children}
  </p>
);

const NoWorkers = ({ onInvite, refusal, pool }: Omit<WorkersProps, "fleet"> & Pick<FleetView, "pool">) => (
  <EmptyState
    icon={<Server size={22} />}
    title="No workers"
    action={
      <Button look="primary" disabled={refusal !== null} title={refusal ?? undefined} onClick={onInvite}>
        Invite a worker
      </Button>
    }
  >
    A worker is another machine on which agents work: their files, commands and checks are there. Use one when
    builds and tests are too much for this machine. An invitation is one command to run there.
    {pool && ` It joins the pool on ${shownName(pool.name)}, which this host shares with others.`}
  </EmptyState>
);

const page: Page = {
  id: "workers",
  title: "Workers",
  icon: <Server size={15} />,
  keys: "alt+6",
  words: "fleet machines places remote hosts drain resume remove invite join labels capacity ssh",
  Body: WorkersPage,
};

/** Other machines on which agents work. */
export const workers: Feature = { pages: [page], actions: [pageAction(page)], keys: [workerKeys] };

interface WorkerRowProps {
  readonly machine: MachineView;
  readonly isReadOnly: boolean;
}

/** One machine: its state, what it offers, which agents work there. */
function WorkerRow({ machine, isReadOnly }: WorkerRowProps) {
  const { id, name, contact, heardAt, state, places } = machine;
  const isAway = heardAt !== null && contact !== "connected";
  return (
    <section
      aria-label={name}
      data-machine={id}
      className="border-b px-4 py-3 focus-within:bg-selected/40 hover:bg-hover/50"
    >
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="min-w-0 truncate font-medium">{shownName(name)}</h2>
        <Badge tone={toneOf(machine)} className="shrink-0">
          {machineStatus(machine)}
        </Badge>
        {isAway && (
          <span className="text-sm text-faint">
            last answer <RelativeTime at={heardAt} />
          </span>
        )}
        <span className="flex-1" />
        <Button size="sm" disabled={isReadOnly} onClick={() => void toggleDrain(machine)}>
          {state === "active" ? "Drain" : "Resume"}
        </Button>
        <Button size="sm" look="danger" disabled={isReadOnly} onClick={() => void removeWorker(machine)}>
          Remove…
        </Button>
      </div>
      <Offer machine={machine} />
      {places.length > 0 && (
        <ul aria-label={`Agents on ${name}`} className="mt-2 flex flex-col gap-0.5">
          {places.map((place) => (
            <PlaceRow key={`${place.run} ${place.worker} ${place.checkout}`} place={place} />
          ))}
        </ul>
      )}
    </section>
  );
}

function toneOf(machine: MachineView): Tone {
  const { contact, heardAt, state, problem } = machine;
  if (heardAt === null) return "neutral";
  if (contact !== "connected") return contact === "suspect" ? "warning" : "danger";
  return state === "draining" || problem !== null ? "warning" : "success";
}

const problems: Readonly<Record<NonNullable<MachineView["problem"]>, string>> = {
  "no sandbox": "It gets no work, because it has no sandbox: run hox doctor there.",
  "other version": "It takes this host’s version when its agents are done. If it does not, update Hox there.",
};

function Offer({ machine }: { readonly machine: MachineView }) {
  const { about, held, others, problem, heardAt } = machine;
  if (about === null || heardAt === null)
    return <p className="mt-1 text-sm text-faint">It has joined, and has not connected yet.</p>;
  return (
    <>
      <p className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-muted">
        <span className="tabular-nums">
          {held + others.reduce((sum, one) => sum + one.held, 0)} of {about.capacity} places in use
        </span>
        {others.map((one) => (
          <span key={one.host} className="text-faint tabular-nums">
            {counted(one.held, "agent")} of {shownName(one.host)}
          </span>
        ))}
        {hourlyCost([machine]) && <span className="tabular-nums">{hourlyCost([machine])}</span>}
        {about.labels.map((label) => (
          <Badge key={label} mono>
            {shownLine(label)}
          </Badge>
        ))}
        {agentTexts(about.agents).map((agent) => (
          <span key={agent}>{shownLine(agent)}</span>
        ))}
        <span className="min-w-0 truncate text-faint">Sandbox: {shownLine(about.isolation.summary)}</span>
      </p>
      {problem !== null && (
        <p className="mt-1 flex items-center gap-1.5 text-sm text-warning">
          <CircleAlert size={13} className="shrink-0" aria-hidden />
          {problems[problem]}
        </p>
      )}
    </>
  );
}

/** An agent that works there, or a checkout with its checks; its name leads to its task on the graph. */
function PlaceRow({
  place: { repository, run, worker, checkout, grantedAt },
}: {
  readonly place: MachinePlace;
}) {
  const title = useHost(
    (state) =>
      runsOf(state)
        .find(({ id }) => id === run)
        ?.workers.find(({ name }) => name === worker)?.title,
  );
  // Of a repository that is shown, or else open, or else only known by its folder.
  const elsewhere = useHost(({ repository: shown, open }) => {
    if (shown?.path === repository) return null;
    const known = open.find(({ path }) => path === repository);
    return known ? nameAmong(known, open) : repository;
  });
  return (
    <li className="flex min-w-0 items-center gap-2 text-sm">
      <Avatar name={worker} />
      <LinkButton
        className="min-w-0 truncate"
        title="Show it on the graph"
        onClick={() => void goToWorkerIn(repository, run, worker)}
      >
        {checkout === null ? "" : "Checks: "}
        {title ? shownLine(title) : shownName(worker)}
      </LinkButton>
      <span className="min-w-0 shrink-0 truncate text-faint">
        {title && shownName(worker)}
        {elsewhere !== null && ` in ${shownName(elsewhere)}`}
      </span>
      <span className="flex-1" />
      <span className="shrink-0 text-xs text-faint tabular-nums" title="Time on this worker">
        <RelativeTime at={grantedAt} />
      </span>
    </li>
  );
}
