import type { DiffedLine } from "#shared/domain/patterns/pattern.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { cx } from "./class-names.ts";

const looks = {
  same: { sign: " ", className: "text-muted", words: "" },
  added: { sign: "+", className: "bg-success-soft text-success", words: "added: " },
  removed: { sign: "−", className: "bg-danger-soft text-danger", words: "removed: " },
} as const;

/** What changed in a short text, line by line; the whole text is there. Words of others. */
export const LineDiff = ({
  lines,
  label,
}: {
  readonly lines: readonly DiffedLine[];
  readonly label: string;
}) => (
  <ol
    aria-label={label}
    className="overflow-auto rounded-md border bg-surface py-1 font-mono text-xs"
    data-selectable
  >
    {lines.map(({ kind, text }, place) => {
      const { sign, className, words } = looks[kind];
      return (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other name than its place
          key={place}
          data-line={kind}
          className={cx("flex min-h-4 px-2 leading-[18px]", className)}
        >
          <span className="w-4 shrink-0 select-none" aria-hidden>
            {sign}
          </span>
          <span className="min-w-0 flex-1 break-words whitespace-pre-wrap">
            {words !== "" && <span className="sr-only">{words}</span>}
            {shownText(text)}
          </span>
        </li>
      );
    })}
  </ol>
);

/** Lines that a file gained and lost; nothing is said of what did not happen. Of a file that is binary, empty or moved: no lines. */
export const LineCounts = ({ added, removed }: { readonly added: number; readonly removed: number }) => (
  <span className="flex shrink-0 gap-2 tabular-nums">
    {added > 0 && <span className="text-success">+{added}</span>}
    {removed > 0 && <span className="text-danger">−{removed}</span>}
    {added + removed === 0 && <span className="font-sans text-faint">no lines</span>}
  </span>
);
