import { Tabs } from "@base-ui/react/tabs";
import { X } from "lucide-react";
import { useEffect, useState } from "react";
import type { CommentView } from "#shared/contract/views/archangel.ts";
import type { MessageView } from "#shared/contract/views/message.ts";
import type { WorkerView } from "#shared/contract/views/worker.ts";
import type { Change } from "#shared/graph/change.ts";
import { conflictOf } from "../../graph/model/change-facts.ts";
import { AttemptBadge } from "../../kit/attempt-badge.tsx";
import { Avatar } from "../../kit/avatar.tsx";
import { Badge } from "../../kit/badge.tsx";
import { IconButton } from "../../kit/button.tsx";
import { ChecksView } from "../../kit/checks-view.tsx";
import { cx } from "../../kit/class-names.ts";
import { StatusIcon } from "../../kit/status-icon.tsx";
import { compareAttempts, useAttemptBadge } from "../../state/attempts-store.ts";
import { isOpen, useComments, useShownComment } from "../../state/comments.ts";
import { subjectOf } from "../../state/graph-store.ts";
import { useHost, useWorkerOf } from "../../state/host-store.ts";
import { select } from "../../state/selection-store.ts";
import { useShownIteration } from "../../state/shown-iteration.ts";
import { useChangeDetails } from "../../state/use-loaded.ts";
import { act } from "../agent/agent-actions.ts";
import { AgentMenu } from "../agent/agent-menu.tsx";
import { CommentList } from "../archangel/comment-list.tsx";
import { showConflict } from "../conflict/conflict-store.ts";
import { ContextBadge } from "./context-badge.tsx";
import { ConversationView } from "./conversation-view.tsx";
import { DetailsView } from "./details-view.tsx";
import { DiffPanel } from "./diff-panel.tsx";
import { MessagesView } from "./messages-view.tsx";
import { VotesView } from "./votes-view.tsx";
import { WorkerFigures } from "./worker-figures.tsx";

type Tab = "details" | "diff" | "comments" | "agent" | "checks" | "messages" | "votes" | "figures";

/** Tab chosen last, kept while the person walks from change to change. */
let lastTab: Tab = "details";

export function ChangeInspector({ change }: { readonly change: Change }) {
  const { changeId, metadata } = change;
  const worker = useWorkerOf(changeId);
  const run = useHost((state) => state.run);
  const messages = useHost((state) => state.messages);
  const details = useChangeDetails(change.commitId);
  const validation = run?.integration === changeId ? run.validation : null;
  const workerName =
    worker?.name ?? metadata.agent ?? (metadata.kind === "base" ? metadata.orchestrator : undefined) ?? null;
  const spoken = metadata.run && workerName ? { run: metadata.run, worker: workerName } : null;
  const related = messages.filter((message) => message.changeId === changeId || isOf(message, workerName));
  const comments = useComments(changeId);
  const tabs: readonly (readonly [Tab, string])[] = [
    ["details", "Details"],
    ["diff", "Diff"],
    ...(comments.length > 0
      ? ([["comments", `Comments ${comments.filter(isOpen).length || ""}`.trim()]] as const)
      : []),
    ...(spoken ? ([["agent", "Agent"]] as const) : []),
    ...(worker ? ([["checks", "Checks"]] as const) : []),
    ...(related.length > 0 ? ([["messages", `Messages ${related.length}`]] as const) : []),
    ...(validation ? ([["votes", "Votes"]] as const) : []),
    ...(worker ? ([["figures", "Metrics"]] as const) : []),
  ];
  const [tab, setTab] = useTab(comments, spoken?.worker ?? null);
  const shown = tabs.some(([name]) => name === tab) ? tab : "details";
  return (
    <Tabs.Root
      value={shown}
      onValueChange={(next: Tab) => setTab(next)}
      className="flex h-full min-h-0 flex-col"
    >
      <ChangeHeader change={change} worker={worker} />
      <Tabs.List
        aria-label="Views of the change"
        className="@container/sides flex shrink-0 overflow-x-auto border-b px-2"
      >
        {tabs.map(([name, label]) => (
          <Tabs.Tab
            key={name}
            value={name}
            className={cx(
              "h-8 shrink-0 border-b-2 border-transparent text-sm text-muted outline-offset-[-2px] hover:text-text data-[active]:border-accent data-[active]:font-medium data-[active]:text-text",
              tabRoom(tabs.length),
            )}
          >
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel
        value={shown}
        className="relative min-h-0 flex-1 overflow-y-auto outline-none focus-visible:shadow-[inset_0_0_0_2px_var(--accent)]"
        // What holds nothing to focus is scrolled by keys from here.
        tabIndex={shown === "figures" || shown === "checks" ? 0 : -1}
      >
        {shown === "details" && <DetailsView change={change} details={details} />}
        {shown === "diff" && (
          <DiffPanel changeId={changeId} commitId={change.commitId} conflict={change.conflict} />
        )}
        {shown === "comments" && (
          <div className="p-3">
            <CommentList comments={comments} />
          </div>
        )}
        {shown === "agent" && spoken && <ConversationView run={spoken.run} worker={spoken.worker} />}
        {shown === "checks" && worker && <ChecksView checks={worker.checks} />}
        {shown === "messages" && <MessagesView messages={related} />}
        {shown === "votes" && validation && (
          <div className="p-3">
            <VotesView validation={validation} rounds={run?.rounds ?? []} />
          </div>
        )}
        {shown === "figures" && worker && <WorkerFigures worker={worker} />}
      </Tabs.Panel>
    </Tabs.Root>
  );
}

/** Whether a worker wrote or got a message. */
const isOf = ({ from, to }: MessageView, worker: string | null): boolean =>
  worker !== null && (from === worker || to === worker || to.endsWith(`/${worker}`));
/** Up to five stand side by side however narrow the panel is; more of them as far apart as they have room. */
function tabRoom(count: number): string {
  if (count <= 5) return "px-2";
  return count === 6
    ? "px-1 @min-[340px]/sides:px-1.5 @min-[370px]/sides:px-2"
    : "px-0.5 @min-[380px]/sides:px-1 @min-[440px]/sides:px-2";
}

/** The tab chosen last; a comment or an iteration that is to be shown brings its own. */
function useTab(comments: readonly CommentView[], worker: string | null): readonly [Tab, (tab: Tab) => void] {
  const [tab, setTab] = useState<Tab>(lastTab);
  useEffect(() => {
    lastTab = tab;
  }, [tab]);
  const wanted = useShownComment(({ comment }) => comments.find(({ id }) => id === comment));
  useEffect(() => {
    if (wanted) setTab(wanted.line === null || wanted.isResolved ? "comments" : "diff");
  }, [wanted]);
  const asked = useShownIteration((state) => (state.worker === worker ? state.asked : 0));
  useEffect(() => {
    if (asked > 0) setTab("agent");
  }, [asked]);
  return [tab, setTab];
}

/** What the change is, who works on it, and what is the matter with it. */
function ChangeHeader({ change, worker }: { readonly change: Change; readonly worker: WorkerView | null }) {
  const { changeId, metadata } = change;
  const conflict = conflictOf(change, worker);
  const attempt = useAttemptBadge(worker?.name ?? null);
  return (
    <header className="flex flex-col gap-1 px-3 pt-2.5 pb-2">
      <div className="flex items-start gap-2">
        {metadata.status && (
          <span className="mt-[3px]">
            <StatusIcon status={metadata.status} />
          </span>
        )}
        <h2
          dir="auto"
          title={subjectOf(change)}
          className="line-clamp-2 min-w-0 flex-1 font-semibold break-words"
          data-selectable
        >
          {subjectOf(change) || <span className="text-faint">No description</span>}
        </h2>
        {worker && <AgentMenu worker={worker} />}
        <IconButton label="Close" className="size-6" icon={<X size={14} />} onClick={() => select(null)} />
      </div>
      <div className="flex min-h-[18px] flex-wrap items-center gap-1.5">
        <code className="font-mono text-xs text-faint" data-selectable title={changeId}>
          {changeId.slice(0, 8)}
        </code>
        {metadata.kind && <Badge>{metadata.kind}</Badge>}
        {worker && (
          <span className="inline-flex items-center gap-1 text-sm text-muted">
            <Avatar name={worker.name} state={worker.state} />
            {saysBadge(worker) || worker.activity === "" ? worker.name : `${worker.name}: ${worker.activity}`}
          </span>
        )}
        {attempt && worker && (
          <button type="button" onClick={() => compareAttempts(worker.name)}>
            <AttemptBadge {...attempt} />
          </button>
        )}
        {worker && <ContextBadge worker={worker} />}
        {worker?.byHand ? (
          <button type="button" onClick={() => act("give-back", worker.name)}>
            <Badge tone="info">assigned to you</Badge>
          </button>
        ) : (
          worker?.held && <Badge tone="warning">paused by you</Badge>
        )}
        {worker?.quiet && <Badge tone="warning">{worker.quiet}</Badge>}
        {conflict && change.conflict ? (
          <button
            type="button"
            title="Show the sides and resolve the conflict"
            onClick={() => showConflict(changeId)}
          >
            <Badge tone="danger">{conflict}</Badge>
          </button>
        ) : (
          conflict && <Badge tone="danger">{conflict}</Badge>
        )}
        {change.divergent && <Badge tone="warning">divergent</Badge>}
      </div>
    </header>
  );
}

/** What holds it stands on a badge beside its name, and is not said twice. */
const saysBadge = ({ byHand, held, state }: WorkerView): boolean =>
  byHand !== null || (held && state === "paused");
