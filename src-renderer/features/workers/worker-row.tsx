import { CircleAlert } from "lucide-react";
import { type MachinePlace, type MachineView, machineStatus } from "#shared/domain/places/machine-view.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { Button, LinkButton } from "../../kit/button.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { useHost } from "../../state/host-store.ts";
import { runsOf } from "../../state/other-runs.ts";
import { goToWorkerIn, nameAmong } from "../../state/repositories.ts";
import { removeWorker, toggleDrain } from "./worker-actions.ts";

interface WorkerRowProps {
  readonly machine: MachineView;
  readonly isReadOnly: boolean;
}

/** One machine: its state, what it offers, which agents work there. */
export function WorkerRow({ machine, isReadOnly }: WorkerRowProps) {
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
  "other version": "It gets no work, because its Hox is of another version: update it there.",
};

function Offer({ machine: { about, held, problem, heardAt } }: { readonly machine: MachineView }) {
  if (about === null || heardAt === null)
    return <p className="mt-1 text-sm text-faint">It has joined, and has not connected yet.</p>;
  return (
    <>
      <p className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-muted">
        <span className="tabular-nums">
          {held} of {about.capacity} places in use
        </span>
        {about.labels.map((label) => (
          <Badge key={label} mono>
            {shownLine(label)}
          </Badge>
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
