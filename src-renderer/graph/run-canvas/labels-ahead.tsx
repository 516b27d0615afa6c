import type { RunCanvas } from "#shared/graph/run-canvas/run-canvas.ts";

interface LabelsAheadProps {
  readonly columns: RunCanvas["columns"];
  /** The last step: a run lands, a part is done. Null: it has ended. */
  readonly last: "land" | "done" | null;
  /** The vote count; null while there is no vote. */
  readonly votes?: { readonly short: string; readonly long: string } | null;
  /** How often the votes have failed. */
  readonly rounds?: number;
}

/** px of what is ahead in which its three names fit beside each other. */
const minWidthForLabels = 170;

/** Names of the columns that are ahead, above a run and above its plan. */
export function LabelsAhead({ columns, last, votes = null, rounds = 0 }: LabelsAheadProps) {
  const { integrate, seats, end, land } = columns;
  const label = "absolute top-1 truncate text-xs text-faint";
  const centred = (x: number) => ({ left: x, transform: "translateX(-50%)" });
  const hasRoom = land - end >= minWidthForLabels - 18;
  return (
    <>
      {integrate && hasRoom && (
        <span className={label} style={centred(integrate.x)}>
          integrate
        </span>
      )}
      {seats[0] && (hasRoom || votes) && (
        <span
          className={label}
          style={centred(seats.reduce((sum, { x }) => sum + x, 0) / seats.length)}
          {...(votes ? { title: votes.long, "data-rounds": rounds } : {})}
        >
          {votes ? votes.short : "validate"}
        </span>
      )}
      {last && hasRoom && (
        <span className={label} style={{ right: 4 }}>
          {last}
        </span>
      )}
    </>
  );
}
