import { shownText } from "#shared/domain/text/shown-text.ts";

interface FoldedProps {
  readonly icon: React.ReactNode;
  readonly summary: React.ReactNode;
  readonly aside?: string;
  readonly text: string;
}

/** One line of a conversation that opens to all of it. */
export function Folded({ icon, summary, aside, text }: FoldedProps) {
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
