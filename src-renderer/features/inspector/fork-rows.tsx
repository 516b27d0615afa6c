import { Check, X } from "lucide-react";
import type { ForkResult } from "#shared/domain/fork/fork-result.ts";
import { shownLine, shownText } from "#shared/domain/text/shown-text.ts";
import { duration, tokens } from "../../kit/amounts.ts";
import { Badge } from "../../kit/badge.tsx";
import { cx } from "../../kit/class-names.ts";
import { useHost } from "../../state/host-store.ts";
import { inspect } from "../../state/selection-store.ts";
import { keyOfWorker } from "../../state/worker-key.ts";
import type { ForkCallInput } from "./fork-answer.ts";

/** Whom a call forks, and for what. */
export function ForkTask({ tool, call }: { readonly tool: string; readonly call: ForkCallInput }) {
  return (
    <span className="flex min-w-0 flex-1 items-center gap-1.5">
      <span className="shrink-0 font-medium">{tool}</span>
      <Badge className="shrink-0">{call.agent}</Badge>
      <span className="min-w-0 truncate text-muted">{shownLine(call.task)}</span>
    </span>
  );
}

/** The way to what a fork says. */
export function OpenFork({ callId }: { readonly callId: string }) {
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
export function ForkAnswer({ result }: { readonly result: ForkResult }) {
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
