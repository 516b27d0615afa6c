// biome-ignore-all lint/a11y/useFocusableInteractive: the field keeps the focus and names the option
import { cx } from "../../kit/class-names.ts";
import type { Completion } from "./use-completion.ts";

export const optionId = (index: number): string => `graph-filter-option-${index}`;

interface CompletionListProps {
  readonly completion: Completion;
  /** −1: none is marked yet. */
  readonly marked: number;
  readonly onChoose: (index: number) => void;
}

/** What could be typed next, below the filter box. */
export function CompletionList({ completion, marked, onChoose }: CompletionListProps) {
  return (
    <div
      role="listbox"
      id="graph-filter-options"
      aria-label="Completions"
      className="appear absolute top-full left-0 z-30 mt-1 w-[min(460px,100%)] overflow-hidden rounded-md border bg-raised p-1 shadow-pop"
    >
      {completion.items.map((item, index) => (
        <div
          key={item.insert}
          role="option"
          id={optionId(index)}
          aria-selected={index === marked}
          onPointerDown={(event) => {
            // The field keeps the focus.
            event.preventDefault();
            onChoose(index);
          }}
          className={cx(
            "flex h-7 items-center gap-3 rounded-sm px-2",
            index === marked ? "bg-selected" : "hover:bg-hover",
          )}
        >
          <code className="shrink-0 font-mono text-sm">{item.insert}</code>
          <span className="min-w-0 flex-1 truncate text-sm text-muted">{item.description}</span>
        </div>
      ))}
    </div>
  );
}
