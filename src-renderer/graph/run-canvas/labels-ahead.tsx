import type { RunCanvas } from "#shared/graph/run-canvas/run-canvas.ts";

interface LabelsAheadProps {
  readonly columns: RunCanvas["columns"];
  /** What stands at the end: a run lands, a part is done. */
  readonly last: "land" | "done";
}

/** Names of the columns that are ahead, above a run and above its plan. */
export function LabelsAhead({ columns, last }: LabelsAheadProps) {
  const label = "absolute top-1 truncate text-xs text-faint";
  return (
    <>
      {columns.integrate && (
        <span className={label} style={{ left: columns.integrate.x, transform: "translateX(-50%)" }}>
          integrate
        </span>
      )}
      {columns.seats[0] && (
        <span
          className={label}
          style={{
            left: columns.seats.reduce((sum, { x }) => sum + x, 0) / columns.seats.length,
            transform: "translateX(-50%)",
          }}
        >
          validate
        </span>
      )}
      <span className={label} style={{ right: 4 }}>
        {last}
      </span>
    </>
  );
}
