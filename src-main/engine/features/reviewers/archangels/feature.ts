import { background, type Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { placeComments, putSuggestions, sendComments } from "./after-review.ts";
import { answerPerson } from "./answer-person.ts";
import { archangelCommands } from "./commands.ts";
import { dueReviews, type Review } from "./due.ts";
import { seeIdle, seePhaseEnds } from "./moments.ts";
import { passOnTool, tellsOrchestrators } from "./pass-on-tool.ts";
import { createReviews } from "./review.ts";
import { suggestionLines, whyNoTask } from "./suggestions.ts";
import { takeSuggestionTool } from "./take-suggestion-tool.ts";
import { archangelViews } from "./views.ts";
import { followDay, isDaySpent } from "./watch-budget.ts";
import { commentsForReview, reviewLine } from "./write-comment.ts";

/**
 * Reviewers in the background: told once what the run is about and then only what is new, they comment and suggest. They
 * block nothing, count as no vote, and hear nothing of each other. (design section 11)
 */
export const archangels: Feature<Run> = {
  name: "archangels",
  services: (run) => ({
    archangels: {
      views: archangelViews(run),
      forReview: (worker) => commentsForReview(run, worker).map(reviewLine),
      suggestionsTo: (orchestrator) => suggestionLines(run, orchestrator),
      ...createReviews(run),
    },
  }),
  commands: archangelCommands,
  answerPerson,
  cardChecks: {
    suggestion(run, item, answer) {
      const suggestion = run.facts.archangels.suggestions.find(({ id }) =>
        item.id.endsWith(`/suggestion/${id}`),
      );
      const refusal = answer.kind === "task" && suggestion ? whyNoTask(run, suggestion) : null;
      if (refusal) throw refusal;
    },
  },
  orchestratorTools: [
    {
      name: "pass_on_comment",
      isAlwaysAllowed: true,
      make: (run, orchestrator) => (tellsOrchestrators(run) ? passOnTool(run, orchestrator) : null),
    },
    takeSuggestionTool,
  ],
  background: [
    background<Run, Review>({
      desired: (run) => (isDaySpent(run) ? [] : dueReviews(run)),
      perform: (run, { archangel }) => run.services.archangels.review(archangel),
      failure: ({ archangel }) => ({
        title: `The archangel ${archangel} could not review the latest changes`,
        worker: null,
        isAsked: false,
      }),
    }),
    seePhaseEnds,
    placeComments,
    sendComments,
    putSuggestions,
  ],
  ticks: [seeIdle, followDay],
};
