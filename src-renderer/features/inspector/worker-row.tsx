import { GitFork, Moon } from "lucide-react";
import { memo } from "react";
import type { OrchestratorView } from "#shared/contract/views/orchestrator.ts";
import type { ForkView, WorkerView } from "#shared/contract/views/worker.ts";
import { conflictLabel } from "#shared/domain/conflict/conflict-label.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Badge } from "../../kit/badge.tsx";
import { cx } from "../../kit/class-names.ts";
import { LearnedMark } from "../../kit/learned-mark.tsx";
import { formatProgress } from "../../kit/todo-list.tsx";
import { inspect } from "../../state/selection-store.ts";
import { keyOfWorker } from "../../state/worker-key.ts";
import { AgentMenu } from "../agent/agent-menu.tsx";
import { ContextBadge } from "./context-badge.tsx";
import { forkLine } from "./fork-line.ts";
import { orchestratorLine } from "./orchestrator-line.ts";
import { lastSentence } from "./waits-for.ts";
import { WorkerBudget } from "./worker-budget.tsx";
import type { PlacedWorker } from "./worker-tree.ts";

interface WorkerRowProps extends PlacedWorker {
  /** What it waits for; null: for nothing. */
  readonly waitsFor: string | null;
}

/** How full its window is; null before it has asked anything. */
const percentOf = (tokens: number, window: number): number | null =>
  tokens > 0 && window > 0 ? Math.min(100, Math.ceil((tokens / window) * 100)) : null;

const figure = "pt-2 pl-2 text-right align-top text-xs whitespace-nowrap text-muted";

/**
 * One worker of the run at its place in the order of command; an orchestrator says how its part stands. Drawn anew when
 * something of that worker changed, and not when another one speaks.
 */
export const WorkerRow = memo(function WorkerRow(props: WorkerRowProps) {
  const { worker, depth } = props;
  const key = worker.fork ? keyOfWorker(worker.name) : worker.changeId;
  const full = percentOf(worker.contextTokens, worker.contextWindow);
  return (
    <tr
      data-worker={worker.name}
      onClick={({ target }) => {
        // The menu at its end is of its own.
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
      <td className={figure}>{worker.iteration > 0 ? worker.iteration : ""}</td>
      <td className={figure}>{full !== null ? `${full} %` : ""}</td>
      <td className={figure}>
        <WorkerBudget worker={worker} />
      </td>
      <td className="pt-1 align-top" data-agent-menu>
        <AgentMenu worker={worker} compact />
      </td>
    </tr>
  );
});

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

function PartLine({ part }: { readonly part: OrchestratorView }) {
  return (
    <span className="flex max-w-full items-center gap-1 text-xs text-faint">
      {part.state === "sleeping" && <Moon size={11} className="shrink-0" aria-hidden />}
      <span className="truncate">{orchestratorLine(part)}</span>
    </span>
  );
}
