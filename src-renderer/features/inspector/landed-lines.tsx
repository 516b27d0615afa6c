import type { RunView } from "#shared/contract/views/run.ts";
import { LandingLine } from "./landing-line.tsx";
import { PushLine } from "./push-line.tsx";

/** What can be done with a result that stands on its branch: going there, taking it back, pushing it. */
export function LandedLines({
  run: { landed, endedAt },
}: {
  readonly run: Pick<RunView, "landed" | "endedAt">;
}) {
  if (landed === null || landed.undoneAt !== null) return null;
  return (
    <>
      <PushLine key={landed.bookmark} bookmark={landed.bookmark} />
      {endedAt !== null && <LandingLine key={landed.to} bookmark={landed.bookmark} />}
    </>
  );
}
