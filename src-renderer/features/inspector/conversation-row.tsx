import {
  Brain,
  Check,
  Coins,
  FileText,
  GitFork,
  Info,
  MessageCircleQuestion,
  RotateCw,
  Webhook,
  X,
} from "lucide-react";
import { memo } from "react";
import type { ConversationTurn } from "#shared/domain/attempt/attempt-events.ts";
import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import { isBlocking, outcomeText } from "#shared/domain/project/preflight.ts";
import { totalTokens } from "#shared/domain/spending/usage.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { dollars, duration, tokens } from "../../kit/amounts.ts";
import { cx } from "../../kit/class-names.ts";
import { ContextMenuArea } from "../../kit/menu.tsx";
import { forkFrom } from "../../state/attempts-store.ts";

/** One entry of a conversation. All text is untrusted and is only ever shown as text. */
export const ConversationRowView = memo(function ConversationRowView({
  row,
  turn,
  whyNotForked,
}: {
  readonly row: ConversationRow;
  /** The turn another agent could continue from; null if none can. */
  readonly turn: ConversationTurn | null;
  /** What the worker's agent cannot do; null: it can. */
  readonly whyNotForked: string | null;
}) {
  switch (row.kind) {
    case "prompt":
      return (
        <li data-iteration={row.iteration}>
          <Folded
            icon={<FileText size={13} />}
            summary={`Prompt of iteration ${row.iteration}`}
            text={row.text}
          />
        </li>
      );
    case "thinking":
      return (
        <li className="flex gap-2 text-sm text-muted italic" data-selectable>
          <Brain size={13} className="mt-[3px] shrink-0 text-faint" aria-label="thinking" />
          <p className="min-w-0 whitespace-pre-wrap">{shownText(row.text)}</p>
        </li>
      );
    case "text":
      return (
        <li data-selectable>
          <p className="whitespace-pre-wrap">{shownText(row.text)}</p>
        </li>
      );
    // A call is shown with its answer, as a `CallRow`.
    case "tool-call":
      return null;
    case "tool-result":
      return <AnswerAlone row={row} />;
    case "usage":
      return <Usage {...{ row, turn, whyNotForked }} />;
    case "retry":
      return (
        <li className="flex items-start gap-2 rounded-md bg-warning-soft px-2.5 py-1.5 text-sm text-warning">
          <RotateCw size={13} className="mt-[3px] shrink-0" aria-hidden />
          {row.reason}: attempt {row.attempt} in {duration(row.waitMs)}
        </li>
      );
    case "notice":
      return (
        <li className="flex items-start gap-2 text-sm text-muted">
          <Info size={13} className="mt-[3px] shrink-0 text-faint" aria-hidden />
          <span className="whitespace-pre-wrap">{row.text}</span>
        </li>
      );
    case "aside":
      return <Aside row={row} />;
    case "hooks":
      return <HookResults row={row} />;
    case "checks":
      return <CheckResults row={row} />;
  }
});

interface FoldedProps {
  readonly icon: React.ReactNode;
  readonly summary: React.ReactNode;
  readonly aside?: string;
  readonly text: string;
}

/** One line of a conversation that opens to all of it. */
function Folded({ icon, summary, aside, text }: FoldedProps) {
  return (
    <details className="text-sm">
      <summary className="flex min-w-0 cursor-default items-center gap-2 rounded-sm text-muted hover:text-text">
        <span className="shrink-0 text-faint">{icon}</span>
        <span className="flex min-w-0 flex-1">{summary}</span>
        {aside && <span className="shrink-0 text-xs text-faint tabular-nums">{aside}</span>}
      </summary>
      <pre className="mt-1 ml-[21px] max-h-80 overflow-auto rounded-md bg-sunken px-2.5 py-2 font-mono text-xs whitespace-pre-wrap">
        {shownText(text)}
      </pre>
    </details>
  );
}

type RowOf<Kind extends ConversationRow["kind"]> = Extract<ConversationRow, { kind: Kind }>;

/** The answer of a tool whose call is not shown. */
function AnswerAlone({ row }: { readonly row: RowOf<"tool-result"> }) {
  return (
    <li>
      <Folded
        icon={
          row.error ? (
            <X size={13} className="text-danger" aria-label="failed" />
          ) : (
            <Check size={13} className="text-success" aria-label="done" />
          )
        }
        summary={
          <span className={cx("min-w-0 truncate", row.error ? "text-danger" : "text-muted")}>
            {row.tool}: {row.error ? `${row.error}: ` : ""}
            {firstLine(row.output)}
          </span>
        }
        aside={duration(row.ms)}
        text={row.output}
      />
    </li>
  );
}

/** What a user asked beside the work, and what was answered: the worker knows of neither. */
function Aside({ row }: { readonly row: RowOf<"aside"> }) {
  return (
    <li
      className="flex flex-col gap-1.5 rounded-md border border-dashed bg-sunken px-2.5 py-2 text-sm"
      aria-label="Side question"
    >
      <p className="flex gap-2 font-medium" data-selectable>
        <MessageCircleQuestion
          size={13}
          className="mt-[3px] shrink-0 text-accent-text"
          aria-label="You asked"
        />
        <span className="min-w-0 whitespace-pre-wrap">{shownText(row.question)}</span>
      </p>
      <p className="min-w-0 pl-[21px] whitespace-pre-wrap" data-selectable>
        {shownText(row.answer)}
      </p>
      <p className="pl-[21px] text-xs text-faint">
        Side question, not part of the conversation · {dollars(row.microDollars)}
      </p>
    </li>
  );
}

/** What a turn cost; from there another agent can go on. */
function Usage({
  row,
  turn,
  whyNotForked,
}: {
  readonly row: RowOf<"usage">;
  readonly turn: ConversationTurn | null;
  readonly whyNotForked: string | null;
}) {
  const line = (
    <li className="group/turn flex h-5 items-center gap-2 text-xs text-faint">
      <Coins size={12} className="shrink-0" aria-hidden />
      <span className="truncate" title={row.model}>
        {dollars(row.microDollars)} · {tokens(totalTokens(row.usage))} tokens
        {row.usage.cacheRead > 0 && ` (${tokens(row.usage.cacheRead)} from cache)`} · {row.model}
      </span>
      {turn && whyNotForked !== null && (
        <span className="ml-auto shrink-0" title={whyNotForked}>
          can’t be forked
        </span>
      )}
      {turn && whyNotForked === null && (
        <button
          type="button"
          aria-label={`Fork from here: turn ${turn.turn} of iteration ${turn.iteration}`}
          className="ml-auto inline-flex h-5 shrink-0 items-center gap-1 rounded-sm px-1.5 whitespace-nowrap text-muted group-hover/turn:text-accent-text hover:bg-hover focus-visible:text-accent-text"
          onClick={() => forkFrom(turn)}
        >
          <GitFork size={12} aria-hidden />
          Fork from here
        </button>
      )}
    </li>
  );
  return turn === null ? (
    line
  ) : (
    <ContextMenuArea
      entries={() => [
        {
          label: "Fork from here…",
          icon: <GitFork size={14} />,
          reason: whyNotForked,
          onSelect: () => forkFrom(turn),
        },
      ]}
    >
      {line}
    </ContextMenuArea>
  );
}

/** What a user’s own hooks said. */
function HookResults({ row }: { readonly row: RowOf<"hooks"> }) {
  return (
    <li className="flex flex-col gap-1 rounded-md border px-2.5 py-1.5">
      {row.results.map((hook) => (
        <Folded
          key={`${hook.on} ${hook.name}`}
          icon={
            hook.success ? (
              <Webhook size={13} aria-label="hook, done" />
            ) : (
              <Webhook size={13} className="text-warning" aria-label="hook, failed" />
            )
          }
          summary={
            <span className={cx("min-w-0 truncate", hook.success ? "text-muted" : "text-warning")}>
              {hook.name}
              {!hook.success && `: ${firstLine(hook.message)}`}
            </span>
          }
          aside={duration(hook.ms)}
          text={hook.message === "" ? "(no output)" : hook.message}
        />
      ))}
    </li>
  );
}

/** How the checks came out. */
function CheckResults({ row }: { readonly row: RowOf<"checks"> }) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md border px-2.5 py-1.5 text-sm">
      {row.results.map((check) => (
        <span
          key={`${check.name} ${check.command}`}
          className={cx(
            "inline-flex items-center gap-1",
            check.outcome === "passed" ? "text-success" : isBlocking(check) ? "text-danger" : "text-warning",
          )}
        >
          {check.outcome === "passed" ? <Check size={13} aria-hidden /> : <X size={13} aria-hidden />}
          {check.name}
          {check.outcome !== "passed" && check.outcome !== "failed" && ` (${outcomeText[check.outcome]})`}
        </span>
      ))}
    </li>
  );
}

/** The first line, without the content hash that is only for the model. */
const firstLine = (text: string): string => {
  const line = (text.trimStart().split("\n", 1)[0] ?? "").replace(/ hash [0-9a-f]{8,64}\b/u, "");
  return line === "" ? "(no output)" : line;
};
