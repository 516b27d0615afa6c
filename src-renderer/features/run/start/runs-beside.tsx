import { startOf } from "#shared/domain/text/cut-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { useHost } from "../../../state/host-store.ts";
import { rootOf, runsGoing } from "../../../state/runs-beside.ts";

/** Other active runs while one starts, and what follows from that. */
export function OtherRuns() {
  const run = useHost((state) => state.run);
  const otherRuns = useHost((state) => state.otherRuns);
  const going = runsGoing({ run, otherRuns });
  if (going.length === 0) return null;
  return (
    <div
      role="note"
      aria-label="Runs in progress"
      className="rounded-md bg-info-soft px-3 py-2 text-sm text-info"
    >
      <p>
        {going.length === 1 ? "Another run is in progress" : `${going.length} other runs are in progress`}.
        This run works in parallel: its plan may only claim files that no other run works on, and asks you
        about overlaps. All runs share this machine’s agent slots.
      </p>
      <ul className="mt-1">
        {going.map((one) => (
          <li key={one.id} className="truncate">
            <span className="font-medium">{rootOf(one)}</span> {shownLine(startOf(one.goal, 120))}
          </li>
        ))}
      </ul>
    </div>
  );
}
