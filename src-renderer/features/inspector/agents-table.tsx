import { GitFork, Moon } from "lucide-react";
import { memo } from "react";
import type { ForkView, OrchestratorView, RunView, WorkerView } from "#shared/contract/views/run.ts";
import { compareOrchestrators } from "#shared/domain/change-metadata/address.ts";
import { conflictLabel } from "#shared/domain/conflict/conflict.ts";
import { fullPercent } from "#shared/domain/spending/budget.ts";
import { notMetered, unmeteredUse } from "#shared/domain/spending/unmetered.ts";
import { totalTokens } from "#shared/domain/spending/usage.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { orchestratorLine } from "../../graph/run-canvas/orchestrator-line.ts";
import { lastSentence, waitsFor } from "../../graph/run-canvas/waits-for.ts";
import { dollars, duration, tokens } from "../../kit/amounts.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Badge, LearnedMark } from "../../kit/badge.tsx";
import { cx } from "../../kit/class-names.ts";
import { Meter } from "../../kit/meter.tsx";
import { formatProgress } from "../../kit/todo-list.tsx";
import { useHost } from "../../state/host-store.ts";
import { inspect, keyOfWorker } from "../../state/selection-store.ts";
import { AgentMenu } from "../agent/agent-entries.tsx";

const figure = "w-px py-1 pl-2 text-right font-normal whitespace-nowrap";

/** Everybody who works on the run, in the order of command: what each does, or waits for and why; a row opens its agent. */
export function AgentsTable({ run }: { readonly run: RunView }) {
  const inbox = useHost((state) => state.inbox);
  const workers = workerTree(run);
  if (workers.length === 0) return null;
  return (
    <section aria-label="Workers">
      <h3 className="sr-only">Agents</h3>
      <table className="w-full tabular-nums">
        <thead>
          <tr className="border-b text-left text-xs text-faint">
            <th scope="col" className="py-1 font-normal">
              Agents
            </th>
            <th scope="col" className={figure} title="Iterations of the agent">
              Turns
            </th>
            <th scope="col" className={figure} title="Share of the model’s context window in use">
              Context
            </th>
            <th scope="col" className={figure}>
              Cost
            </th>
            <th scope="col" className="w-px py-1">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {workers.map((placed) => (
            <WorkerRow
              key={placed.worker.name}
              {...placed}
              waitsFor={waitsFor(placed.worker, run, inbox)?.words ?? null}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** A worker at its place below its orchestrator. */
interface PlacedWorker {
  readonly worker: WorkerView;
  /** 0 for the root. */
  readonly depth: number;
  /** What is known of it as an orchestrator; null for agents. */
  readonly leads: OrchestratorView | null;
}

/**
 * Workers in the order of command: each orchestrator before those below it, agents before the orchestrators
 * below, so that a part stays together. Validators belong to no plan and are left out.
 */
export function workerTree({
  workers,
  orchestrators,
}: Pick<RunView, "workers" | "orchestrators">): readonly PlacedWorker[] {
  const leads = new Map(orchestrators.map((one) => [one.name, one]));
  const known = new Set(workers.map((worker) => worker.name));
  const below = Map.groupBy(workers.filter(isPlaced), (worker) => parentIn(worker, known));
  const placed = (parent: string | null, depth: number): readonly PlacedWorker[] =>
    (below.get(parent) ?? [])
      .toSorted((one, other) => rank(one) - rank(other) || byName(one, other))
      .flatMap((worker) => [
        { worker, depth, leads: leads.get(worker.name) ?? null },
        ...placed(worker.name, depth + 1),
      ]);
  return placed(null, 0);
}

/** Archangels have a separate list. */
const isPlaced = ({ role }: WorkerView): boolean => roles[role].isListed && role !== "archangel";

/** A worker whose orchestrator is not on the list is at the top. */
const parentIn = (worker: WorkerView, known: ReadonlySet<string>): string | null =>
  worker.parent !== null && known.has(worker.parent) ? worker.parent : null;

/** Forks follow the worker they work for. */
const order: readonly WorkerView["role"][] = ["fork", "agent", "integrator", "orchestrator"];
const rank = (worker: WorkerView): number => order.indexOf(worker.role);

/** Only orchestrators are sorted; agents stay as their plan named them. */
const byName = (one: WorkerView, other: WorkerView): number =>
  roles[one.role].isLead ? compareOrchestrators(one.name, other.name) : 0;

interface WorkerRowProps extends PlacedWorker {
  /** What it waits for; null: for nothing. */
  readonly waitsFor: string | null;
}

/** How full its window is; null before it has asked anything. */
const percentOf = (tokens: number, window: number): number | null =>
  tokens > 0 && window > 0 ? Math.min(100, Math.ceil((tokens / window) * 100)) : null;

const figureCell = "pt-2 pl-2 text-right align-top text-xs whitespace-nowrap text-muted";

/**
 * One worker of the run in the order of command; an orchestrator shows the status of its part. Redrawn when
 * something of that worker changed, and not when another one speaks.
 */
const WorkerRow = memo(function WorkerRow(props: WorkerRowProps) {
  const { worker, depth } = props;
  const key = worker.fork ? keyOfWorker(worker.name) : worker.changeId;
  const full = percentOf(worker.contextTokens, worker.contextWindow);
  return (
    <tr
      data-worker={worker.name}
      onClick={({ target }) => {
        // The menu at the end of the row handles its own clicks.
        if (key && target instanceof Element && !target.closest("[data-agent-menu]")) inspect(key);
      }}
      className={cx("border-b last:border-b-0", key && "hover:bg-hover")}
    >
      <td className="w-full max-w-0 py-1.5" style={{ paddingLeft: `${2 + Math.min(depth, 4) * 14}px` }}>
        <div className="flex min-w-0 items-start gap-2">
          <Avatar name={worker.name} state={worker.state} size={22} />
          <div className="min-w-0 flex-1">
            <button
              type="button"
              disabled={!key}
              title={worker.title}
              className="flex w-full min-w-0 items-baseline gap-1.5 rounded-sm text-left"
            >
              <span className="shrink-0 font-medium">{worker.name}</span>
              <span dir="auto" title={worker.title} className="min-w-0 truncate text-sm text-muted">
                {worker.title}
              </span>
            </button>
            <Lines {...props} />
          </div>
        </div>
      </td>
      <td className={figureCell}>{worker.iteration > 0 ? worker.iteration : ""}</td>
      <td className={figureCell}>{full !== null ? `${full} %` : ""}</td>
      <td className={figureCell}>
        <WorkerBudget worker={worker} />
      </td>
      <td className="pt-1 align-top" data-agent-menu>
        <AgentMenu worker={worker} compact />
      </td>
    </tr>
  );
});

/** How much of its own limit a worker has used, 0 to 1, the nearest of several; null without a limit. */
function shareOfLimit({ limitMicroDollars, limitTokens, spent }: WorkerView["budget"]): number | null {
  const shares = [
    ...(limitMicroDollars === null ? [] : [spent.microDollars / limitMicroDollars]),
    ...(limitTokens === null ? [] : [totalTokens(spent.usage) / limitTokens]),
  ];
  return shares.length === 0 ? null : Math.min(1, Math.max(...shares));
}

/** What a worker spent; if it has a limit, also what counts against it (everyone below, too) and a bar. */
function WorkerBudget({ worker }: { readonly worker: WorkerView }) {
  const { budget, unmetered } = worker;
  if (unmetered !== null)
    return (
      <span className="text-xs text-faint" title={`${notMetered}: ${unmeteredUse(unmetered)}`}>
        not metered
      </span>
    );
  const share = shareOfLimit(budget);
  const limit = budget.limitMicroDollars === null ? "" : ` of ${dollars(budget.limitMicroDollars)}`;
  const below = budget.spent.requests > worker.spent.requests ? " including agents below" : "";
  return (
    <span
      className="flex shrink-0 flex-col items-end gap-1 text-xs text-faint tabular-nums"
      title={`${dollars(budget.spent.microDollars)}${limit}${below}`}
    >
      {dollars((share === null ? worker.spent : budget.spent).microDollars)}
      {share !== null && (
        <Meter label={`Budget of ${worker.name}`} share={share} state={budget.state} className="h-1 w-10" />
      )}
    </span>
  );
}

/** What it does or waits for, what is to be known of it, and what it said last. */
function Lines({ worker, leads, waitsFor }: WorkerRowProps) {
  const { fork } = worker;
  const doing = waitsFor === null ? formatProgress(worker) : null;
  const words = worker.status === "done" ? "" : lastSentence(worker.latestText);
  return (
    <>
      {/* Badges take a line of their own rather than room from the name. */}
      <span className="flex flex-wrap items-center gap-x-1.5 gap-y-0.5 text-xs">
        {waitsFor !== null && (
          <span className="line-clamp-4 max-w-full text-warning" title={waitsFor}>
            {waitsFor}
          </span>
        )}
        {leads ? (
          waitsFor === null && <PartLine part={leads} />
        ) : fork ? (
          <ForkLine fork={fork} worker={worker} />
        ) : (
          doing && <span className="max-w-full truncate text-faint">{doing}</span>
        )}
        <LearnedMark learned={worker.learned} />
        <ContextBadge worker={worker} />
        {worker.conflict !== "none" && <Badge tone="danger">{conflictLabel(worker.conflict)}</Badge>}
        {worker.quiet && <Badge tone="warning">{worker.quiet}</Badge>}
      </span>
      {words !== "" && (
        <span className="block truncate text-xs text-faint" title={words}>
          “{words}”
        </span>
      )}
    </>
  );
}

/** Warns from 60 % of the model's window on: above that a conversation gets worse. */
export function ContextBadge({ worker }: { readonly worker: WorkerView }) {
  const percent = fullPercent(worker.contextTokens, worker.contextWindow);
  if (percent === null || worker.state === "done") return null;
  return (
    <Badge tone="warning" title={`${percent} % of the model’s context window in use`}>
      {percent} % context
    </Badge>
  );
}

function ForkLine({ fork, worker }: { readonly fork: ForkView; readonly worker: WorkerView }) {
  const line = forkLine(fork, worker);
  return (
    <span
      className="flex max-w-full items-center gap-1 text-xs text-faint"
      title={`${line}. Cache share of its first request.`}
    >
      <GitFork size={11} className="shrink-0" aria-hidden />
      <span className="truncate">{line}</span>
    </span>
  );
}

/** How much of a fork's first request came from the provider's cache; null before that was answered. */
export const formatCachedShare = ({ cachedShare }: Pick<ForkView, "cachedShare">): string | null =>
  cachedShare === null ? null : `${Math.floor(cachedShare * 100)} % from cache`;

/** The status of a fork in one word. */
export const forkState = ({ result, isCancelled }: Pick<ForkView, "result" | "isCancelled">): string => {
  if (isCancelled) return "left";
  if (result === null) return "working";
  return result.status === "success" ? "done" : "failed";
};

/** A fork in one line: `clone · done · 97 % from cache · 12k tokens · 4 s`. */
export function forkLine(fork: ForkView, worker: Pick<WorkerView, "activity" | "spent">): string {
  const state = forkState(fork);
  const used = totalTokens(worker.spent.usage);
  return [
    fork.agent,
    state === "working" && worker.activity !== "" ? worker.activity : state,
    formatCachedShare(fork),
    used === 0 ? null : `${tokens(used)} tokens`,
    fork.result === null ? null : duration(fork.result.metadata.latency_ms),
  ]
    .filter((words) => words !== null)
    .join(" · ");
}

function PartLine({ part }: { readonly part: OrchestratorView }) {
  return (
    <span className="flex max-w-full items-center gap-1 text-xs text-faint">
      {part.state === "sleeping" && <Moon size={11} className="shrink-0" aria-hidden />}
      <span className="truncate">{orchestratorLine(part)}</span>
    </span>
  );
}
