import type { Fold, FoldStage } from "#shared/domain/merge-request/fold.ts";
import { isGreen } from "#shared/domain/merge-request/fold.ts";
import { isBlocking, outcomeText } from "#shared/domain/project/known-failures.ts";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { FoldReviews } from "../../kit/fold-reviews.tsx";

const tones: Readonly<Record<FoldStage, Tone>> = {
  open: "neutral",
  checking: "info",
  review: "info",
  "changes-requested": "warning",
  approved: "success",
  merged: "success",
  withdrawn: "neutral",
};

const reviewers = { first: "the first reviewer", parent: "its orchestrator", person: "you" } as const;

function mergeRequestStatus({ state }: Fold): string {
  switch (state.stage) {
    case "open":
      return "reopened, the agent is working on it";
    case "checking":
      return "checks run in a fresh checkout";
    case "review":
      return `waiting for ${reviewers[state.by]}`;
    case "changes-requested":
      return "changes requested";
    case "approved":
      return "approved, about to be merged";
    case "merged":
      return state.place === "trunk"
        ? "merged into the trunk that other agents build on"
        : "merged separately: the integration combines it with the rest";
    case "withdrawn":
      return "abandoned with its task";
  }
}

/** Where an agent's finished work stands on its way to its parent. Nothing before it was offered once. */
export function FoldSection({ fold }: { readonly fold: Fold }) {
  if (fold.round === 0) return null;
  const failed = fold.checks.filter(isBlocking);
  return (
    <section aria-label="Merge request">
      <h3 className="mb-1.5 flex items-center gap-2 text-sm font-medium text-muted">
        Merge request <Badge tone={tones[fold.state.stage]}>{fold.state.stage.replace("-", " ")}</Badge>
        <span className="font-normal text-faint">round {fold.round}</span>
      </h3>
      <div className="flex flex-col gap-2 border-l-2 pl-2.5">
        <p className="text-sm first-letter:uppercase">{mergeRequestStatus(fold)}</p>
        {fold.checks.length > 0 && (
          <p className={isGreen(fold.checks) ? "text-sm text-muted" : "text-sm text-danger"}>
            {isGreen(fold.checks)
              ? `${fold.checks.length === 1 ? "The check passes" : `All ${fold.checks.length} checks pass`} in a fresh checkout`
              : `In a fresh checkout: ${failed.map((check) => `${check.name} ${outcomeText[check.outcome]}`).join(", ")}`}
          </p>
        )}
        <FoldReviews reviews={fold.reviews} />
      </div>
    </section>
  );
}
