import { Archive, CircleCheck, CircleHelp } from "lucide-react";
import { type Ref, useEffect } from "react";
import type { PatternView } from "#shared/contract/commands/pattern.ts";
import { minConfidence } from "#shared/domain/patterns/pattern-context.ts";
import { formatUses } from "#shared/domain/patterns/pattern-record.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { cx } from "../../kit/class-names.ts";
import { type KeyTable, takeKey } from "../../kit/key-table.ts";
import { stateLabels } from "../../state/pattern-library.ts";

interface PatternListProps {
  readonly ref: Ref<HTMLDivElement>;
  readonly patterns: readonly PatternView[];
  readonly chosen: string | null;
  readonly onChoose: (id: string) => void;
  /** Enter: what is chosen is to be read. */
  readonly onOpen: () => void;
}

const optionId = (id: string): string => `pattern-${id.replace("/", "-")}`;

interface PatternPlace extends Pick<PatternListProps, "patterns" | "onChoose" | "onOpen"> {
  readonly at: number;
}

const toPattern =
  (placeOf: (at: number, last: number) => number) =>
  ({ patterns, at, onChoose }: PatternPlace): boolean => {
    const last = patterns.length - 1;
    const next = patterns[Math.min(last, Math.max(0, placeOf(at, last)))];
    if (next) onChoose(next.id);
    return next !== undefined;
  };

export const patternKeys: KeyTable<PatternPlace> = {
  place: "In the list of patterns",
  rows: [
    { keys: "ArrowUp", what: "the previous pattern", run: toPattern((at) => at - 1) },
    { keys: "ArrowDown", what: "the next pattern", run: toPattern((at) => at + 1) },
    {
      keys: "Home",
      also: ["End"],
      to: "End",
      what: "the first pattern, and the last",
      run: (here, { key }) => toPattern((_, last) => (key === "End" ? last : 0))(here),
    },
    { keys: "Enter", what: "open the pattern", run: ({ onOpen }) => onOpen() },
  ],
};

/** One after another by arrows; what is chosen is shown beside it. */
export function PatternList({ ref, patterns, chosen, onChoose, onOpen }: PatternListProps) {
  const at = patterns.findIndex(({ id }) => id === chosen);
  useEffect(() => {
    if (chosen !== null) document.getElementById(optionId(chosen))?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return (
    <div
      ref={ref}
      role="listbox"
      aria-label="Patterns"
      tabIndex={0}
      {...(at >= 0 && chosen !== null ? { "aria-activedescendant": optionId(chosen) } : {})}
      onKeyDown={(event) => takeKey(patternKeys, event, { patterns, at, onChoose, onOpen })}
      className="min-h-0 overflow-y-auto border-r"
    >
      {patterns.map((pattern) => (
        <Option
          key={pattern.id}
          pattern={pattern}
          isChosen={pattern.id === chosen}
          onChoose={() => onChoose(pattern.id)}
        />
      ))}
    </div>
  );
}

const icons = {
  approved: { Icon: CircleCheck, className: "text-success" },
  "not-approved": { Icon: CircleHelp, className: "text-warning" },
  retired: { Icon: Archive, className: "text-faint" },
} as const;

interface OptionProps {
  readonly pattern: PatternView;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function Option({ pattern, isChosen, onChoose }: OptionProps) {
  const { id, title, state, category, confidence, sourceRun, uses } = pattern;
  const { Icon, className } = icons[state];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the focus, and its arrows choose
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, and names the one that is chosen
    <div
      role="option"
      id={optionId(id)}
      aria-selected={isChosen}
      data-pattern={id}
      data-state={state}
      onClick={onChoose}
      className={cx(
        "flex gap-2 border-b border-l-2 px-3 py-2",
        isChosen ? "border-l-accent bg-selected" : "border-l-transparent hover:bg-hover",
      )}
    >
      <Icon size={14} className={cx("mt-[3px] shrink-0", className)} aria-label={stateLabels[state]} />
      <span className="min-w-0 flex-1">
        <span
          className={cx("block truncate font-medium", state === "retired" && "text-muted")}
          title={shownLine(title)}
        >
          {shownLine(title)}
        </span>
        <span className="flex items-baseline gap-1.5 text-sm text-muted">
          <span className="min-w-0 truncate">{category}</span>
          <span aria-hidden className="text-faint">
            ·
          </span>
          <span
            className={cx("shrink-0", confidence <= minConfidence && "text-warning")}
            title={formatConfidence(confidence)}
          >
            confidence {confidence.toFixed(2)}
          </span>
        </span>
        <span className="block truncate text-xs text-faint">
          {formatUses(uses)}
          {sourceRun?.goal && ` · from “${shownLine(sourceRun.goal)}”`}
        </span>
      </span>
    </div>
  );
}

/** What a confidence means for which agents get the pattern. */
export const formatConfidence = (confidence: number): string =>
  confidence > minConfidence
    ? `Above ${minConfidence}: it is suggested and added to matching tasks`
    : `Not above ${minConfidence}: it is kept but not used`;
