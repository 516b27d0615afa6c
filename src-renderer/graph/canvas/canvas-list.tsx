// biome-ignore-all lint/a11y/useFocusableInteractive: the list has the focus and names its active option
import type { KeyboardEvent, RefObject } from "react";
import { memo } from "react";
import type { Change } from "#shared/graph/change.ts";
import type { FoldedRow } from "#shared/graph/history-folding.ts";
import { keyOf, subjectOf } from "../../state/graph-store.ts";
import { useWorkerOf } from "../../state/host-store.ts";
import { useMeetings } from "../../state/radar.ts";
import { useSelection } from "../../state/selection-store.ts";
import { spoken, useNames } from "../model/change-facts.ts";
import { rowKeyOf } from "../model/graph-model.ts";
import type { CanvasScene } from "./canvas-elements.ts";

/** Options before and after the selected one: enough to be read on in, and a few of a history of any length. */
const around = 30;

const optionId = (key: string): string => `node-${key}`;

interface Entry {
  readonly key: string;
  readonly row: FoldedRow;
}

interface CanvasListProps {
  readonly scene: CanvasScene;
  readonly list: RefObject<HTMLDivElement | null>;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/**
 * What the canvas draws, as a list for screen readers: the same at every zoom, also where a change has no element.
 * It has the focus of the canvas and its keys.
 */
export function CanvasList({ scene, list, onKeyDown }: CanvasListProps) {
  const selected = useSelection((state) => state.selected);
  const entries = entriesOf(scene);
  const at = entries.findIndex(({ key }) => key === selected);
  const from = Math.max(0, at - around);
  return (
    <div
      ref={list}
      role="listbox"
      aria-label="Graph"
      aria-activedescendant={at >= 0 && selected ? optionId(selected) : undefined}
      tabIndex={0}
      className="pointer-events-none absolute inset-0 z-10 outline-none focus-visible:shadow-[inset_0_0_0_2px_var(--accent)]"
      onKeyDown={onKeyDown}
    >
      <div className="sr-only">
        {entries.slice(from, at + around + 1).map((entry, index) => {
          const place = { posinset: from + index + 1, setsize: entries.length };
          return entry.row.kind === "fold" ? (
            <Option key={entry.key} id={entry.key} words={formatFoldedRow(entry.row)} {...place} />
          ) : (
            <ChangeOption key={entry.key} change={entry.row.change} {...place} />
          );
        })}
      </div>
    </div>
  );
}

const entriesOf = ({ model }: CanvasScene): readonly Entry[] =>
  (model?.folded.rows ?? []).map((row) => ({ key: rowKeyOf(row), row }));

const formatFoldedRow = (row: Extract<FoldedRow, { kind: "fold" }>): string =>
  `Collapsed: ${row.count.toLocaleString()} changes, the newest ${subjectOf(row.newest) || "without a description"}`;

interface Place {
  readonly posinset: number;
  readonly setsize: number;
}

const ChangeOption = memo(function ChangeOption({ change, ...place }: Place & { readonly change: Change }) {
  const names = useNames(change.commitId);
  const worker = useWorkerOf(change.changeId);
  const meetings = useMeetings(worker?.name ?? null);
  return <Option id={keyOf(change)} words={spoken(change, names, worker, meetings)} {...place} />;
});

function Option({ id, words, posinset, setsize }: Place & { readonly id: string; readonly words: string }) {
  const isSelected = useSelection((state) => state.selected === id);
  return (
    <div
      role="option"
      id={optionId(id)}
      aria-selected={isSelected}
      aria-posinset={posinset}
      aria-setsize={setsize}
    >
      {words}
    </div>
  );
}
