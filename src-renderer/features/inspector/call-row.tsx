import { useVirtualizer } from "@tanstack/react-virtual";
import { Ban, Check, ChevronRight, CirclePause, CircleSlash, Copy, LoaderCircle, X } from "lucide-react";
import { memo, type ReactNode, useMemo, useRef, useState } from "react";
import { z } from "zod";
import { cloneName, type ForkResult, isCloneCall } from "#shared/domain/fork/fork-events.ts";
import { shownLine, shownText } from "#shared/domain/text/shown-text.ts";
import { duration, tokens } from "../../kit/amounts.ts";
import { Badge } from "../../kit/badge.tsx";
import { cx } from "../../kit/class-names.ts";
import { type KeyTable, takeKey } from "../../kit/key-table.ts";
import { ContextMenuArea } from "../../kit/menu.tsx";
import { useSeconds } from "../../kit/relative-time.tsx";
import { useHost } from "../../state/host-store.ts";
import { copyText } from "../../state/notify.ts";
import { inspect, keyOfWorker } from "../../state/selection-store.ts";
import {
  type CallEntry,
  type CallerState,
  type CallMark,
  type CallOutcome,
  callOutcome,
  previewOf,
  type ResultEntry,
  tellingInput,
  type Unanswered,
} from "./call-outcome.ts";

interface CallRowProps {
  readonly call: CallEntry;
  readonly result: ResultEntry | Unanswered;
  readonly caller: CallerState;
}

/** One call with its result: how it ended, how long it took, its first lines; unfolded, all of both. */
export const CallRow = memo(function CallRow({ call, result, caller }: CallRowProps) {
  const [isOpen, setOpen] = useState(false);
  const outcome = callOutcome(result, caller);
  const answered = typeof result === "string" ? null : result;
  const forked = call.tool === forkToolName && answered ? readForkResult(answered.output) : null;
  const input = (): string => JSON.stringify(call.input, null, 2) ?? "";
  const copyOutput = (): void =>
    void (answered ? copyText("output", answered.output) : copyText("input", input()));
  return (
    <li className="text-sm">
      <ContextMenuArea
        entries={() => [
          ...(answered
            ? [{ label: "Copy output", icon: <Copy size={14} />, keys: "c", onSelect: copyOutput }]
            : []),
          {
            label: "Copy input",
            icon: <Copy size={14} />,
            onSelect: () => void copyText("input", input()),
          },
        ]}
      >
        <div>
          <div className="flex items-center gap-1.5">
            <button
              type="button"
              data-call={call.id}
              data-outcome={outcome.mark}
              aria-expanded={isOpen}
              className="flex min-h-5 min-w-0 flex-1 items-center gap-2 rounded-sm text-left text-muted hover:text-text"
              onClick={() => setOpen(!isOpen)}
              onKeyDown={(event) => pressAtCall(event, copyOutput)}
            >
              <Mark mark={outcome.mark} />
              <CallLine call={call} />
              <Ending outcome={outcome} call={call} ms={answered?.ms ?? null} />
              <ChevronRight
                size={12}
                className={cx("shrink-0 text-faint", isOpen && "rotate-90")}
                aria-hidden
              />
            </button>
            {call.tool === forkToolName && <OpenFork callId={call.id} />}
          </div>
          {isOpen ? (
            <Unfolded input={input()} answer={answered?.output ?? null} />
          ) : (
            !forked && <Preview outcome={outcome} />
          )}
          {forked && answered && <ForkAnswer result={forked} />}
        </div>
      </ContextMenuArea>
    </li>
  );
});

interface CallPlace {
  readonly button: HTMLElement;
  readonly copy: () => void;
}

const walk =
  (by: -1 | 1) =>
  ({ button }: CallPlace): boolean => {
    const list = button.closest("[data-conversation]");
    const calls = [...(list?.querySelectorAll<HTMLElement>("[data-call]") ?? [])];
    const next = calls[calls.indexOf(button) + by];
    next?.focus();
    return next !== undefined;
  };

/** The keys of the calls in a conversation. Each call is a button, so Enter unfolds it. */
export const callKeys: KeyTable<CallPlace> = {
  place: "On a tool call in a conversation",
  rows: [
    { keys: "ArrowUp", what: "the previous call", run: walk(-1) },
    { keys: "ArrowDown", what: "the next call", run: walk(1) },
    {
      keys: "Enter",
      what: "expand it to show its input and full output",
      run: ({ button }) => button.click(),
    },
    { keys: "c", what: "copy its output", run: ({ copy }) => copy() },
  ],
};

const pressAtCall = (event: React.KeyboardEvent<HTMLElement>, copy: () => void): boolean =>
  takeKey(callKeys, event, { button: event.currentTarget, copy });

/** The tool by which a conversation forks. */
const forkToolName = "fork_subagent";

const call = z.object({ agent: z.string(), task: z.string() });
type ForkCallInput = z.infer<typeof call>;

const result = z.object({
  status: z.enum(["success", "error"]),
  content: z.string(),
  error: z.string().nullable(),
  metadata: z.object({
    agent: z.string(),
    model: z.string(),
    provider: z.string(),
    latency_ms: z.number(),
    usage: z.object({ input_tokens: z.number(), output_tokens: z.number() }),
  }),
});

/** What was asked; null where a model called the tool with something else. */
export function readForkCall(input: unknown): ForkCallInput | null {
  const parsed = call.safeParse(input);
  if (!parsed.success) return null;
  const { agent, task } = parsed.data;
  return { agent: isCloneCall(agent) ? cloneName : agent.trim(), task };
}

/** What came of it; null where the answer is not a fork's, as of a call that was refused before. (HIVE-6) */
export function readForkResult(output: string): ForkResult | null {
  try {
    return result.safeParse(JSON.parse(output)).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Whom a call forks, and for what. */
function ForkTask({ tool, call }: { readonly tool: string; readonly call: ForkCallInput }) {
  return (
    <span className="flex min-w-0 flex-1 items-center gap-1.5">
      <span className="shrink-0 font-medium">{tool}</span>
      <Badge className="shrink-0">{call.agent}</Badge>
      <span className="min-w-0 truncate text-muted">{shownLine(call.task)}</span>
    </span>
  );
}

/** The way to what a fork says. */
function OpenFork({ callId }: { readonly callId: string }) {
  const name = useHost(({ run }) => run?.workers.find(({ fork }) => fork?.callId === callId)?.name ?? null);
  if (name === null) return null;
  return (
    <button
      type="button"
      className="h-5 shrink-0 rounded-sm px-1.5 text-xs text-accent-text hover:bg-hover"
      aria-label={`Open ${name}`}
      onClick={() => inspect(keyOfWorker(name))}
    >
      {name}
    </button>
  );
}

/** What a fork came to, in its own words, and what that took. */
function ForkAnswer({ result }: { readonly result: ForkResult }) {
  const { content, error, metadata } = result;
  const isFailed = result.status === "error";
  const { input_tokens: input, output_tokens: output } = metadata.usage;
  return (
    <section
      className={cx(
        "mt-1 ml-[21px] flex flex-col gap-1.5 rounded-md border px-2.5 py-2 text-sm",
        isFailed && "border-danger/30",
      )}
      aria-label={`Answer of ${metadata.agent}`}
    >
      {isFailed && <p className="whitespace-pre-wrap text-danger">{shownText(error ?? "Failed.")}</p>}
      {content !== "" && (
        <p className="max-h-80 overflow-y-auto whitespace-pre-wrap" data-selectable>
          {shownText(content)}
        </p>
      )}
      <p className="flex items-start gap-1.5 text-xs text-faint tabular-nums">
        {isFailed ? (
          <X size={12} className="mt-0.5 shrink-0 text-danger" aria-label="failed" />
        ) : (
          <Check size={12} className="mt-0.5 shrink-0 text-success" aria-label="done" />
        )}
        <span className="min-w-0">
          {metadata.agent} · {duration(metadata.latency_ms)} · {tokens(input)} tokens in, {tokens(output)} out
          · {metadata.model}
        </span>
      </p>
    </section>
  );
}

const marks: Readonly<Record<CallMark, { readonly label: string; readonly icon: ReactNode }>> = {
  done: { label: "done", icon: <Check size={13} className="text-success" /> },
  failed: { label: "failed", icon: <X size={13} className="text-danger" /> },
  refused: { label: "refused", icon: <Ban size={13} className="text-warning" /> },
  running: {
    label: "running",
    icon: <LoaderCircle size={13} className="text-accent-text motion-safe:animate-spin" />,
  },
  waiting: { label: "paused", icon: <CirclePause size={13} className="text-muted" /> },
  stopped: { label: "stopped", icon: <CircleSlash size={13} className="text-faint" /> },
};

const Mark = ({ mark }: { readonly mark: CallMark }) => (
  <span role="img" aria-label={marks[mark].label} className="shrink-0">
    {marks[mark].icon}
  </span>
);

function CallLine({ call }: { readonly call: CallEntry }) {
  const fork = call.tool === forkToolName ? readForkCall(call.input) : null;
  if (fork) return <ForkTask tool={call.tool} call={fork} />;
  const found = tellingInput(call.input);
  return (
    <span className="min-w-0 flex-1 truncate" title={found === null ? undefined : shownLine(found)}>
      <span className="font-medium">{call.tool}</span>
      {found !== null && <span className="font-mono text-xs text-muted"> {shownLine(found)}</span>}
    </span>
  );
}

const tones: Readonly<Partial<Record<CallMark, string>>> = {
  failed: "text-danger",
  refused: "text-warning",
  running: "text-accent-text",
};

/** How it ended and how long it took; of one that runs, for how long it has. */
function Ending({
  outcome: { mark, words },
  call,
  ms,
}: {
  readonly outcome: CallOutcome;
  readonly call: CallEntry;
  readonly ms: number | null;
}) {
  return (
    <span className="flex max-w-[60%] shrink-0 items-center gap-1.5 text-xs tabular-nums">
      {words !== null && (
        <span className={cx("truncate", tones[mark] ?? "text-muted")} title={words}>
          {words}
        </span>
      )}
      {ms === null ? (
        mark === "running" && <Since at={call.at} />
      ) : (
        <span className="shrink-0 text-faint">{duration(ms)}</span>
      )}
    </span>
  );
}

function Since({ at }: { readonly at: number }) {
  const now = useSeconds();
  // Screen readers announce that it runs, not each second.
  return now - at < 1_000 ? null : (
    <span className="shrink-0 text-faint" aria-hidden>
      {duration(Math.floor((now - at) / 1_000) * 1_000)}
    </span>
  );
}

function Preview({ outcome: { mark, output } }: { readonly outcome: CallOutcome }) {
  const { lines, more } = previewOf(output);
  if (lines.length === 0) return null;
  return (
    <div
      className={cx(
        "mt-0.5 ml-[21px] border-l-2 pl-2 font-mono text-xs",
        mark === "failed" ? "border-danger/40 text-text" : "text-muted",
      )}
      data-selectable
    >
      {lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text, which never changes
        <p key={at} className="truncate whitespace-pre">
          {line === "" ? " " : shownLine(line)}
        </p>
      ))}
      {more > 0 && (
        <p className="font-sans text-faint">
          {more} more {more === 1 ? "line" : "lines"}
        </p>
      )}
    </div>
  );
}

/** All that was asked and answered, each with a way to take it along. */
function Unfolded({ input, answer }: { readonly input: string; readonly answer: string | null }) {
  const parts = [
    { name: "input", text: input },
    ...(answer === null ? [] : [{ name: "output", text: answer === "" ? "(no output)" : answer }]),
  ];
  return (
    <div className="mt-1 ml-[21px] flex flex-col gap-1">
      {parts.map(({ name, text }) => (
        <div key={name}>
          <div className="flex h-5 items-center text-xs text-faint">
            <span className="flex-1 first-letter:uppercase">{name}</span>
            <button
              type="button"
              aria-label={`Copy ${name}`}
              className="inline-flex h-5 items-center gap-1 rounded-sm px-1.5 text-accent-text hover:bg-hover"
              onClick={() => void copyText(name, text)}
            >
              <Copy size={12} aria-hidden /> Copy
            </button>
          </div>
          <LongText label={name === "input" ? "Input of the call" : "Output of the call"} text={text} />
        </div>
      ))}
    </div>
  );
}

/** From this number of lines on, only the visible ones are in the page. */
const manyLines = 300;
const lineHeight = 16;

const box = "max-h-80 overflow-auto rounded-md bg-sunken px-2.5 py-2 font-mono text-xs";

/** Untrusted text of any length in a little room. */
function LongText({ label, text }: { readonly label: string; readonly text: string }) {
  const lines = useMemo(() => shownText(text).split("\n"), [text]);
  if (lines.length > manyLines) return <ManyLines label={label} lines={lines} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section tabIndex={0} aria-label={label} className={box} data-selectable>
      <pre className="whitespace-pre-wrap [overflow-wrap:anywhere]">{lines.join("\n")}</pre>
    </section>
  );
}

function ManyLines({ label, lines }: { readonly label: string; readonly lines: readonly string[] }) {
  const scroller = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    overscan: 20,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section ref={scroller} tabIndex={0} aria-label={label} className={box} data-selectable>
      <div className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => (
          <pre
            key={index}
            ref={rows.measureElement}
            data-index={index}
            className="absolute inset-x-0 min-h-4 whitespace-pre-wrap [overflow-wrap:anywhere]"
            style={{ transform: `translateY(${start}px)` }}
          >
            {lines[index]}
          </pre>
        ))}
      </div>
    </section>
  );
}
