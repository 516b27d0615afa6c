import { Tabs } from "@base-ui/react/tabs";
import { GitFork, X } from "lucide-react";
import { useState } from "react";
import type { ForkView, WorkerView } from "#shared/contract/views/worker.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { duration } from "../../kit/amounts.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { IconButton } from "../../kit/button.tsx";
import { FileName } from "../../kit/file-name.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { select } from "../../state/selection-store.ts";
import { AgentMenu } from "../agent/agent-menu.tsx";
import { ConversationView } from "./conversation-view.tsx";
import { forkState, formatCachedShare } from "./fork-line.ts";
import { WorkerFigures } from "./worker-figures.tsx";
import { WorkerLink } from "./worker-link.tsx";

const tabs = [
  ["details", "Details"],
  ["agent", "Agent"],
  ["figures", "Metrics"],
] as const;
type Tab = (typeof tabs)[number][0];

interface ForkInspectorProps {
  readonly run: string;
  readonly worker: WorkerView;
  readonly fork: ForkView;
}

/** A fork has no change of its own: what it was asked, what it said, and what it cost. */
export function ForkInspector({ run, worker, fork }: ForkInspectorProps) {
  const [tab, setTab] = useState<Tab>("agent");
  return (
    <Tabs.Root
      value={tab}
      onValueChange={(next: Tab) => setTab(next)}
      className="flex h-full min-h-0 flex-col"
      data-fork={worker.name}
    >
      <ForkHeader worker={worker} fork={fork} />
      <Tabs.List aria-label="Views of the fork" className="flex shrink-0 overflow-x-auto border-b px-2">
        {tabs.map(([name, label]) => (
          <Tabs.Tab
            key={name}
            value={name}
            className="h-8 shrink-0 border-b-2 border-transparent px-2 text-sm text-muted outline-offset-[-2px] hover:text-text data-[active]:border-accent data-[active]:font-medium data-[active]:text-text"
          >
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={tab} className="relative min-h-0 flex-1 overflow-y-auto outline-none" tabIndex={-1}>
        {tab === "details" && <ForkDetails worker={worker} fork={fork} />}
        {tab === "agent" && <ConversationView run={run} worker={worker.name} />}
        {tab === "figures" && <WorkerFigures worker={worker} />}
      </Tabs.Panel>
    </Tabs.Root>
  );
}

function ForkHeader({ worker, fork }: Omit<ForkInspectorProps, "run">) {
  const cached = formatCachedShare(fork);
  return (
    <header className="flex flex-col gap-1 px-3 pt-2.5 pb-2">
      <div className="flex items-start gap-2">
        <GitFork size={15} className="mt-[3px] shrink-0 text-faint" aria-label="Fork" />
        <h2
          dir="auto"
          title={shownText(worker.title)}
          className="line-clamp-2 min-w-0 flex-1 font-semibold break-words"
          data-selectable
        >
          {shownText(worker.title)}
        </h2>
        <AgentMenu worker={worker} />
        <IconButton label="Close" className="size-6" icon={<X size={14} />} onClick={() => select(null)} />
      </div>
      <div className="flex min-h-[18px] flex-wrap items-center gap-1.5">
        <Badge>{fork.agent}</Badge>
        <span className="inline-flex items-center gap-1 text-sm text-muted">
          <Avatar name={worker.name} state={worker.state} />
          {worker.name}
        </span>
        <StateBadge fork={fork} />
        {cached && (
          <Badge tone="info" title="Share of its first request">
            {cached}
          </Badge>
        )}
      </div>
    </header>
  );
}

const tones: Readonly<Record<string, Tone>> = { done: "success", failed: "danger", working: "accent" };

function StateBadge({ fork }: { readonly fork: ForkView }) {
  const state = forkState(fork);
  return <Badge tone={tones[state] ?? "neutral"}>{state}</Badge>;
}

function ForkDetails({ worker, fork }: Omit<ForkInspectorProps, "run">) {
  const { result } = fork;
  return (
    <div className="flex flex-col gap-4 p-3">
      <ForkText title="Task" text={fork.task} />
      {result?.error != null && <ForkText title="Error" text={result.error} isTrouble />}
      {result !== null && result.content !== "" && <ForkText title="Answer" text={result.content} />}
      <dl className="grid grid-cols-[92px_1fr] gap-y-1 text-sm">
        <dt className="text-faint">Started by</dt>
        <dd>{worker.parent === null ? "unknown" : <WorkerLink name={worker.parent} />}</dd>
        <dt className="text-faint">Model</dt>
        <dd className="truncate" data-selectable>
          {worker.model}
        </dd>
        <dt className="text-faint">Started</dt>
        <dd>
          <RelativeTime at={fork.begunAt} />
        </dd>
        {result !== null && (
          <>
            <dt className="text-faint">Duration</dt>
            <dd>{duration(result.metadata.latency_ms)}</dd>
          </>
        )}
        {fork.files.length > 0 && (
          <>
            <dt className="text-faint">Files written</dt>
            <dd>
              <ul>
                {fork.files.map((path) => (
                  <li key={path} className="truncate">
                    <FileName path={path} />
                  </li>
                ))}
              </ul>
            </dd>
          </>
        )}
      </dl>
      {fork.isCancelled && (
        <p className="text-sm text-muted">
          Cancelled: the task that started this fork has ended or was undone.
        </p>
      )}
    </div>
  );
}

function ForkText({
  title,
  text,
  isTrouble = false,
}: {
  readonly title: string;
  readonly text: string;
  readonly isTrouble?: boolean;
}) {
  return (
    <section aria-label={title}>
      <h3 className="mb-1 text-sm font-medium text-muted">{title}</h3>
      <p className={isTrouble ? "whitespace-pre-wrap text-danger" : "whitespace-pre-wrap"} data-selectable>
        {shownText(text)}
      </p>
    </section>
  );
}
