import { Ban, Check, ChevronRight, CirclePause, CircleSlash, Copy, LoaderCircle, X } from "lucide-react";
import { memo, type ReactNode, useEffect, useState } from "react";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { duration } from "../../kit/amounts.ts";
import { cx } from "../../kit/class-names.ts";
import { ContextMenuArea } from "../../kit/menu.tsx";
import { attempt, notify } from "../../state/notice-store.ts";
import { pressAtCall } from "./call-keys.ts";
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
import { forkToolName, readForkCall, readForkResult } from "./fork-answer.ts";
import { ForkAnswer, ForkTask, OpenFork } from "./fork-rows.tsx";
import { LongText } from "./long-text.tsx";

interface CallRowProps {
  readonly call: CallEntry;
  readonly result: ResultEntry | Unanswered;
  readonly caller: CallerState;
}

/** One call with what came of it: how it ended, how long it took, its first lines; unfolded, all of both. */
export const CallRow = memo(function CallRow({ call, result, caller }: CallRowProps) {
  const [isOpen, setOpen] = useState(false);
  const outcome = callOutcome(result, caller);
  const answered = typeof result === "string" ? null : result;
  const forked = call.tool === forkToolName && answered ? readForkResult(answered.output) : null;
  const input = (): string => JSON.stringify(call.input, null, 2) ?? "";
  const copyOutput = (): void =>
    void (answered ? copied("output", answered.output) : copied("input", input()));
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
            onSelect: () => void copied("input", input()),
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

async function copied(what: string, text: string): Promise<void> {
  const done = await attempt(`The ${what} was not copied`, () => navigator.clipboard.writeText(text));
  if (done) notify("info", `Copied the ${what} of this call.`);
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
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  // The screen reader is told that it runs, not every second for how long.
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
              onClick={() => void copied(name, text)}
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
