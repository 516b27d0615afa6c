/** The phases behind the lanes: bands with their names, and columns into which a task is dragged, or added by a double click. */
import { counted } from "#shared/domain/text/counted.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import type { PlanCanvas } from "#shared/graph/plan-canvas/plan-canvas.ts";
import { cx } from "../../kit/class-names.ts";
import { usePlanLink } from "../../state/plan-link-store.ts";

/** px in which a phase and its tasks stand on one line; else they stand below each other. */
const minWidthForDot = 110;

export function PhaseColumns({ canvas }: { readonly canvas: PlanCanvas }) {
  const { phases, columns, rowsTop } = canvas;
  const aimed = usePlanLink(({ target }) => (target?.kind === "phase" ? target.phase : null));
  const left = columns.margin;
  const width = (phases[0]?.x ?? columns.start) - left;
  return (
    <>
      {phases.map(({ number, x, width: wide }, at) => (
        <div
          key={number}
          data-phase-band={number}
          className={cx(
            "absolute inset-y-0 border-l",
            aimed === number ? "border-accent bg-accent-soft" : at % 2 === 0 ? "bg-sunken/70" : "bg-canvas",
          )}
          style={{ left: x, width: wide }}
        />
      ))}
      {phases.map(
        ({ number, title, band }) =>
          band && (
            <div
              key={number}
              aria-hidden
              data-phase-band={number}
              className={cx(
                "absolute z-[1] border-b px-2 pt-px text-xs",
                aimed === number ? "bg-accent-soft" : "bg-surface",
              )}
              style={{ left, width, top: band.top - rowsTop, height: band.bottom - band.top }}
            >
              <div className="sticky top-0.5 flex max-h-full flex-col overflow-hidden">
                <span className="font-medium text-muted">
                  <span className="whitespace-nowrap">Phase {number}</span>{" "}
                  <span className="font-normal whitespace-nowrap text-faint">
                    {width >= minWidthForDot && "· "}
                    {counted(band.tasks, "task")}
                  </span>
                </span>
                <span dir="auto" className="line-clamp-3 break-words text-muted" title={shownLine(title)}>
                  {shownLine(title)}
                </span>
              </div>
            </div>
          ),
      )}
    </>
  );
}
