import { Tabs } from "@base-ui/react/tabs";
import { Maximize2, X } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import type { WorkerView } from "#shared/contract/views/run.ts";
import type { CommentView } from "#shared/domain/archangel/archangel-records.ts";
import type { MessageView } from "#shared/domain/messages/message-view.ts";
import type { Change } from "#shared/graph/change.ts";
import { client } from "../../client.ts";
import { conflictOf } from "../../graph/model/change-facts.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { AttemptBadge, Badge } from "../../kit/badge.tsx";
import { IconButton, LinkButton } from "../../kit/button.tsx";
import { ChecksView } from "../../kit/checks-view.tsx";
import { type DiffLayout, DiffLayoutChoice, DiffView } from "../../kit/diff-view.tsx";
import { addFinder } from "../../kit/find/find-matches.ts";
import { IndeterminateLine, LoadFailure } from "../../kit/load-failure.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { StatusIcon } from "../../kit/status-icon.tsx";
import { useShownTheme } from "../../kit/theme.ts";
import { compareAttempts, useAttemptBadge } from "../../state/attempts-store.ts";
import { isOpen, useComments, useShownComment } from "../../state/comments.ts";
import { subjectOf } from "../../state/graph-store.ts";
import { useHost, useWorkerOf } from "../../state/host-store.ts";
import { inspect, select } from "../../state/selection-store.ts";
import { useShownIteration } from "../../state/shown-run.ts";
import { shownValue, useChangeDetails, useLoaded } from "../../state/use-loaded.ts";
import { act } from "../agent/agent-actions.ts";
import { AgentMenu } from "../agent/agent-entries.tsx";
import { CommentList } from "../archangel/comment-card.tsx";
import { showConflict } from "../conflict/conflict-store.ts";
import { showDiff, useDiff } from "../diff/diff-store.ts";
import { BinaryFile } from "../diff/file-section.tsx";
import { commentNote } from "../diff/use-line-notes.tsx";
import { useRemarkNotes } from "../diff/use-remark-notes.tsx";
import { ContextBadge } from "./agents-table.tsx";
import { ConversationView } from "./conversation-view.tsx";
import { DetailsView } from "./details-view.tsx";
import { TabList } from "./tab-list.tsx";
import { VotesView } from "./votes-view.tsx";
import { WorkerFigures } from "./worker-figures.tsx";

type Tab = "details" | "diff" | "comments" | "agent" | "checks" | "messages" | "votes" | "figures";

/** Tab chosen last, kept while the user walks from change to change. */
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
  const all: readonly (readonly [Tab, string | false | null])[] = [
    ["details", "Details"],
    ["diff", "Diff"],
    ["comments", comments.length > 0 && `Comments ${comments.filter(isOpen).length || ""}`.trim()],
    ["agent", spoken && "Agent"],
    ["checks", worker && "Checks"],
    ["messages", related.length > 0 && `Messages ${related.length}`],
    ["votes", validation && "Votes"],
    ["figures", worker && "Metrics"],
  ];
  const tabs = all.filter(([, label]) => label);
  const [tab, setTab] = useTab(comments, spoken?.worker ?? null);
  const shown = tabs.some(([name]) => name === tab) ? tab : "details";
  return (
    <Tabs.Root
      value={shown}
      onValueChange={(next: Tab) => setTab(next)}
      className="flex h-full min-h-0 flex-col"
    >
      <ChangeHeader change={change} worker={worker} />
      <TabList
        label="Views of the change"
        tabs={tabs}
        className="@container/sides"
        tabClassName={tabRoom(tabs.length)}
      />
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

const inherited =
  "This change edits no files. Its conflict comes from its parents. Open the sides with the badge above or from a file in Details.";

/** Comments that name no path are shown in the wide view. */
const noPaths: readonly string[] = [];

interface DiffPanelProps {
  readonly changeId: string;
  readonly commitId: string;
  readonly conflict: boolean;
}

/** The diff of one commit against its parents, with what archangels and judges say of its lines. */
function DiffPanel({ changeId, commitId, conflict }: DiffPanelProps) {
  const theme = useShownTheme();
  const [layout, setLayout] = useState<DiffLayout>("unified");
  const frame = useFindInWideDiff(changeId);
  const loaded = useLoaded(commitId, () => client.change.diff({ commitId }));
  const value = shownValue(loaded);
  const comments = useComments(changeId);
  const remarks = useRemarkNotes({ changeId, commitId }, useWorkerOf(changeId), noPaths);
  const notes = useMemo(() => [...comments.flatMap(commentNote), ...remarks], [comments, remarks]);
  if (loaded.kind === "failed") return <LoadFailure failure={loaded.failure} again={loaded.again} />;
  if (!value) return <IndeterminateLine label="Loading the diff" />;
  return (
    <div ref={frame}>
      <div className="flex items-center justify-between gap-2 px-3 py-2">
        <span className="text-sm text-faint">
          {value.truncated
            ? "Only the first files are shown here. Open the full diff to see all of them."
            : ""}
        </span>
        <span className="flex-1" />
        <IconButton
          label="Open the full diff"
          keys="alt+r"
          className="size-6"
          icon={<Maximize2 size={13} />}
          onClick={() => showDiff(changeId)}
        />
        <DiffLayoutChoice layout={layout} onChange={setLayout} />
      </div>
      <DiffView
        diff={value.diff}
        notes={notes}
        theme={theme}
        layout={layout}
        onOpenLong={(path) => showDiff(changeId, path)}
        renderBinary={(path, source) => <BinaryFile commitId={commitId} path={path} source={source} />}
        {...(conflict ? { empty: inherited } : {})}
      />
    </div>
  );
}

/** Searching continues in the wide view, which has every file. */
function useFindInWideDiff(changeId: string) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const open = (): void => {
      useDiff.setState({ isFindWanted: true });
      showDiff(changeId);
    };
    const panel = (): HTMLElement | null => frame.current?.closest<HTMLElement>("[role=tabpanel]") ?? null;
    return addFinder({ frame: panel, open, step: open });
  }, [changeId]);
  return frame;
}

const tones = { mutation: "warning", info: "neutral", "align-request": "info" } as const;

const kinds = { mutation: "decision", info: "message", "align-request": "question" } as const;

function MessagesView({ messages }: { readonly messages: readonly MessageView[] }) {
  return (
    <ol className="flex flex-col gap-2 p-3">
      {messages.map((message) => (
        <li key={message.changeId} className="rounded-md border px-2.5 py-2">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
            <span className="flex min-w-0 items-center gap-1.5 whitespace-nowrap">
              <Avatar name={message.from} />
              <span className="font-medium">{message.from}</span>
              <span className="text-faint">to</span>
              <code className="truncate font-mono text-xs">{message.to}</code>
            </span>
            <span className="flex shrink-0 items-center gap-1.5">
              <Badge tone={tones[message.type]}>{kinds[message.type]}</Badge>
              {!message.handled && <Badge tone="accent">unread</Badge>}
            </span>
            <RelativeTime at={message.at} className="ml-auto text-xs text-faint" />
          </div>
          <p className="mt-1 whitespace-pre-wrap" data-selectable>
            {message.text}
          </p>
          <LinkButton className="mt-1 text-xs" onClick={() => inspect(message.changeId)}>
            Show in graph
          </LinkButton>
        </li>
      ))}
    </ol>
  );
}

/** Whether a worker wrote or got a message. */
const isOf = ({ from, to }: MessageView, worker: string | null): boolean =>
  worker !== null && (from === worker || to === worker || to.endsWith(`/${worker}`));
/** Up to five tabs fit side by side in the narrowest panel; more of them are spread over the available width. */
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

/** What pauses it is on a badge next to its name, and is not repeated. */
const saysBadge = ({ byHand, held, state }: WorkerView): boolean =>
  byHand !== null || (held && state === "paused");
