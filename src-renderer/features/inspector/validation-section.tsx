import type { Change } from "#shared/graph/change.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { openValidation, useLastValidation } from "../../state/change-validation.ts";
import { verdictTones } from "./vote-words.ts";

/** The last verdict on a change that no run asked for. It says nothing of another commit than the one that was judged. */
export function ValidationSection({ change }: { readonly change: Change }) {
  const last = useLastValidation(change.changeId);
  if (!last) return null;
  const verdict = last.validation && last.end?.kind === "done" ? verdictTones[last.validation.verdict] : null;
  const isVoid = last.commitId !== change.commitId;
  return (
    <section aria-label="Validation" className="flex items-center gap-2 text-sm">
      <span className="text-faint">Validated</span>
      <RelativeTime at={last.at} className="text-muted" />
      {last.end === null ? (
        <Badge tone="neutral">voting</Badge>
      ) : isVoid ? (
        <Badge tone="warning">void: the change has a new commit</Badge>
      ) : (
        <Badge tone={verdict?.tone ?? "neutral"}>{verdict?.words ?? "no verdict"}</Badge>
      )}
      <span className="flex-1" />
      <Button onClick={() => openValidation(change.changeId)}>Show</Button>
    </section>
  );
}
