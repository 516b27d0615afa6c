import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import type { MouseEvent, RefObject } from "react";
import { useEffect, useRef, useState } from "react";
import type { FoldedRow } from "#shared/graph/history-folding.ts";
import { MenuAt, type OpenMenu } from "../../kit/menu.tsx";
import { useRowHeight } from "../../state/preferences.ts";
import { useKeptPlace } from "../../state/replay-store.ts";
import { inspect, select, useSelection } from "../../state/selection-store.ts";
import { rowMenu } from "../change/change-menu.tsx";
import { chooseRow } from "../change/choose-row.ts";
import { useGraphKeys } from "../change/graph-keys.ts";
import { LiveRegion } from "../change/live-region.tsx";
import { useFilter } from "../model/filter-store.ts";
import { foldedRowOfKey, type GraphModel, rowKeyOf, useModel } from "../model/graph-model.ts";
import { hitRows } from "../model/hits.ts";
import { useProposedPlan } from "../plan/proposed-plan.ts";
import { useNodeDrag } from "../rebase/use-node-drag.ts";
import { laneRowAt } from "./lane-chunks.ts";
import { LogRow, rowId } from "./log-row.tsx";
import { PlanGhosts } from "./plan-ghosts.tsx";

/** The graph as a list: virtual rows with the lanes at their left. */
export function LogView() {
  const model = useModel((state) => state.model);
  const selected = useSelection((state) => state.selected);
  const scroller = useRef<HTMLDivElement>(null);
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  const drag = useNodeDrag();
  const proposed = useProposedPlan();
  const rows = model?.folded.rows ?? [];
  const rowHeight = useRowHeight();

  const virtual = useRows(model, rowHeight, scroller);

  useKeptScroll(scroller);
  const keys = useGraphKeys((row) => {
    const element = document.querySelector(`#${CSS.escape(rowId(rowKeyOf(row)))}`);
    const box = element?.getBoundingClientRect();
    setMenu({ at: { x: (box?.left ?? 0) + 40, y: box?.bottom ?? 0 }, entries: rowMenu(row) });
  });

  // What is selected elsewhere comes into sight here.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new graph must not scroll what is being read
  useEffect(() => {
    if (!selected || !model) return;
    const row = foldedRowOfKey(model, selected);
    if (row >= 0) virtual.scrollToIndex(row, { align: "auto" });
  }, [selected]);

  const at = selected && model ? foldedRowOfKey(model, selected) : -1;
  // A row that is not drawn has no element that could be named.
  const isDrawn = virtual.getVirtualItems().some(({ index }) => index === at);

  const rowAt = (event: MouseEvent): FoldedRow | null => model && rowUnder(event, model);
  const click = (event: MouseEvent): void => {
    const row = rowAt(event);
    if (row && !drag.wasDrag()) chooseRow(row);
  };

  return (
    <div className="@container/graph flex h-full flex-col">
      {proposed && (
        <PlanGhosts
          proposed={proposed}
          onLeave={() => {
            const first = rows[0];
            if (first) select(rowKeyOf(first));
            scroller.current?.focus({ preventScroll: true });
          }}
        />
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: a virtual grid cannot be a table */}
      <div
        ref={scroller}
        role="grid"
        aria-label="Graph"
        aria-rowcount={rows.length}
        aria-activedescendant={selected && isDrawn ? rowId(selected) : undefined}
        tabIndex={0}
        className="relative min-h-0 flex-1 overflow-y-auto overscroll-contain outline-none focus-visible:shadow-[inset_0_0_0_2px_var(--accent)]"
        onKeyDown={keys.onKeyDown}
        onClick={click}
        onDoubleClick={(event) => {
          const row = rowAt(event);
          if (row?.kind === "change") inspect(rowKeyOf(row));
        }}
        onContextMenu={(event) => {
          const row = rowAt(event);
          if (!row) return;
          event.preventDefault();
          select(rowKeyOf(row));
          setMenu({ at: { x: event.clientX, y: event.clientY }, entries: rowMenu(row) });
        }}
        {...drag.handlers}
      >
        {model && <Rows model={model} virtual={virtual} height={rowHeight} />}
      </div>
      <MenuAt at={menu?.at ?? null} entries={menu?.entries ?? []} onClose={() => setMenu(null)} />
      <LiveRegion />
    </div>
  );
}

/** The rows as far as they are in sight, all as high as the user wants them. */
function useRows(
  model: GraphModel | null,
  rowHeight: number,
  scroller: RefObject<HTMLDivElement | null>,
): Virtualizer<HTMLDivElement, Element> {
  const virtual = useVirtualizer({
    count: model?.folded.rows.length ?? 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured sizes stay cached until this requests new ones
  useEffect(() => {
    virtual.measure();
  }, [rowHeight]);
  useHitInSight(model, virtual);
  return virtual;
}

/** What was searched for comes into sight once it is found, where none of it is yet. */
function useHitInSight(model: GraphModel | null, virtual: Virtualizer<HTMLDivElement, Element>): void {
  const of = useFilter((state) => (state.commits === null ? null : state.of));
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each search, and not when the graph has changed
  useEffect(() => {
    const { commits } = useFilter.getState();
    if (!model || commits === null) return;
    const hits = hitRows(model, commits);
    const { startIndex, endIndex } = virtual.calculateRange() ?? { startIndex: 0, endIndex: -1 };
    const first = hits[0];
    if (first !== undefined && !hits.some((row) => row >= startIndex && row <= endIndex))
      virtual.scrollToIndex(first, { align: "center" });
  }, [of]);
}

const useKeptScroll = (scroller: RefObject<HTMLDivElement | null>): void =>
  useKeptPlace(
    "log",
    () => scroller.current?.scrollTop ?? 0,
    (top) => scroller.current?.scrollTo({ top }),
  );

function rowUnder({ target }: MouseEvent, model: GraphModel): FoldedRow | null {
  const element = target instanceof Element ? target.closest<HTMLElement>("[data-row-key]") : null;
  const key = element?.dataset.rowKey;
  return (key && model.folded.rows[foldedRowOfKey(model, key)]) || null;
}

interface RowsProps {
  readonly model: GraphModel;
  readonly virtual: Virtualizer<HTMLDivElement, Element>;
  readonly height: number;
}

/** The rows in sight. */
function Rows({ model, virtual, height }: RowsProps) {
  return (
    <div role="presentation" style={{ height: virtual.getTotalSize() + 8 }}>
      {virtual.getVirtualItems().map((item) => {
        const row = model.folded.rows[item.index];
        const lane = laneRowAt(model.lanes, item.index);
        return (
          row &&
          lane && (
            <LogRow
              key={rowKeyOf(row)}
              row={row}
              lane={lane}
              lanes={model.lanes.width}
              index={item.index}
              top={item.start}
              height={height}
            />
          )
        );
      })}
    </div>
  );
}
