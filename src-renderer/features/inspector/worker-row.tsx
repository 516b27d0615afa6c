import { GitFork, Moon } from "lucide-react";
import type { OrchestratorView } from "#shared/contract/views/orchestrator.ts";
import type { ForkView, WorkerView } from "#shared/contract/views/worker.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Badge } from "../../kit/badge.tsx";
import { LearnedMark } from "../../kit/learned-mark.tsx";
import { workingWords } from "../../kit/todo-list.tsx";
import { inspect } from "../../state/selection-store.ts";
import { keyOfWorker } from "../../state/worker-key.ts";
import { AgentMenu } from "../agent/agent-menu.tsx";
import { ContextBadge } from "./context-badge.tsx";
import { forkLine } from "./fork-line.ts";
import { orchestratorLine } from "./orchestrator-line.ts";
import { WorkerBudget } from "./worker-budget.tsx";
import type { PlacedWorker } from "./worker-tree.ts";

/** One worker of the run at its place in the order of command; an orchestrator says how its part stands. */
export function WorkerRow({ placed }: { readonly placed: PlacedWorker }) {
  const { worker, depth, leads } = placed;
  const { changeId, fork } = worker;
  const key = fork ? keyOfWorker(worker.name) : changeId;
  const doing = workingWords(worker);
  return (
    <li className="flex items-center">
      <button
        type="button"
        disabled={!key}
        onClick={() => key && inspect(key)}
        data-worker={worker.name}
        className="flex min-h-10 min-w-0 flex-1 items-center gap-2.5 rounded-md px-1.5 text-left enabled:hover:bg-hover"
        style={{ paddingLeft: `${6 + depth * 18}px` }}
      >
        <Avatar name={worker.name} state={worker.state} size={22} />
        <span className="min-w-0 flex-1">
          <span className="flex items-center gap-1.5">
            <span className="shrink-0 font-medium">{worker.name}</span>
            <span className="min-w-0 truncate text-sm text-muted" title={worker.title}>
              {worker.title}
            </span>
          </span>
          {/* Badges take a line of their own rather than room from the name. */}
          <span className="flex flex-wrap items-center gap-x-1.5 gap-y-0.5">
            {leads ? (
              <PartLine part={leads} />
            ) : fork ? (
              <ForkLine fork={fork} worker={worker} />
            ) : (
              doing !== "" && <span className="max-w-full truncate text-xs text-faint">{doing}</span>
            )}
            <LearnedMark learned={worker.learned} />
            <ContextBadge worker={worker} />
            {worker.conflict !== "none" && <Badge tone="danger">{worker.conflict} conflict</Badge>}
            {worker.byHand && <Badge tone="info">in your hands</Badge>}
          </span>
        </span>
        <WorkerBudget worker={worker} />
      </button>
      <AgentMenu worker={worker} compact />
    </li>
  );
}

function ForkLine({ fork, worker }: { readonly fork: ForkView; readonly worker: WorkerView }) {
  const line = forkLine(fork, worker);
  return (
    <span
      className="flex max-w-full items-center gap-1 text-xs text-faint"
      title={`${line}. The cache is that of its first request.`}
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
