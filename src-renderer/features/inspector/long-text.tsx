import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
import { shownText } from "#shared/domain/text/shown-text.ts";

/** From so many lines on only those that are seen stand in the page. */
const manyLines = 300;
const lineHeight = 16;

const box = "max-h-80 overflow-auto rounded-md bg-sunken px-2.5 py-2 font-mono text-xs";

/** Untrusted text of any length in a little room. */
export function LongText({ label, text }: { readonly label: string; readonly text: string }) {
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
