import { Undo2 } from "lucide-react";
import { useState } from "react";
import type { RunView } from "#shared/contract/views/run.ts";
import { Button } from "../../kit/button.tsx";
import { attempt, notify } from "../../state/notify.ts";
import { recordLandingTakenBack, takeLandingBack } from "../../state/take-back-landing.tsx";
import { moveToLanded } from "../runs/move-to-landed.tsx";
import { PushLine } from "./push-line.tsx";

/** Actions for a landed result: show it, undo the landing, push it. */
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

/** Where the result landed, and the way back. */
function LandingLine({ bookmark }: { readonly bookmark: string }) {
  const [busy, setBusy] = useState(false);
  const undo = async (): Promise<void> => {
    setBusy(true);
    await attempt(`The landing on ${bookmark} was not undone`, async () => {
      const taken = await takeLandingBack();
      if (taken.kind === "refused") notify("warning", taken.reason, taken.remedy);
      else if (taken.kind === "done") recordLandingTakenBack(taken.landing);
    });
    setBusy(false);
  };
  return (
    <section aria-label="Landing" className="flex min-h-7 items-center gap-2 text-sm text-muted">
      <Undo2 size={13} className="shrink-0 text-faint" aria-hidden />
      <span className="min-w-0 flex-1">Landed on {bookmark}</span>
      <Button
        size="sm"
        title="Move your folder to the commit that landed (Alt+G)"
        onClick={() => void moveToLanded()}
      >
        Switch my folder to {bookmark}
      </Button>
      <Button size="sm" disabled={busy} onClick={() => void undo()}>
        Undo landing…
      </Button>
    </section>
  );
}
