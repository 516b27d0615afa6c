import type { ConflictCause } from "#shared/domain/conflict/conflict.ts";
import type { Place } from "#shared/domain/decision/compliance.ts";
import { claimCovers } from "#shared/domain/files/glob.ts";
import {
  type PromptText,
  pathLines,
  prompt,
  promptLine,
  quoteText,
  section,
} from "#shared/domain/text/prompt-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { contradictedDecision, mergedSidesOf } from "#shared/domain/worker/worker-record.ts";
import { structuredTool, type Tool } from "../../../../tools/tool-interface.ts";
import type { PromptAbout } from "../../../kernel/agent-work.ts";
import type { Feature, OrchestratorTool } from "../../../kernel/feature.ts";
import { inform } from "../../../kernel/notify.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { chainOf, decisionsFor, parentOf, partOf, rootOf, scoped } from "../../../workers/hierarchy.ts";
import { bindingOn, contradictionsOf } from "./compliance.ts";
import {
  canDecide,
  decide,
  decisionsOfSeveralRuns,
  decisionWork,
  editsProblem,
  formatOutcome,
  type MutationProposal,
  mutationShape,
} from "./proposals.ts";

/** An orchestrator's tool for a decision that binds all below it. */
const proposeMutation: OrchestratorTool<Run> = {
  name: "propose_mutation",
  answers: {
    "align-request": 3,
    "user answered": 1,
    "escalation answered": 1,
    "user message": 2,
    "mutation rejected": 2,
    "merge request ready": 4,
    "child stalled": 4,
    "child silent": 4,
    "child blocked": 4,
    "conflict forecast": 3,
  },
  make: makeTool,
  async execute(run, { value, orchestrator, key, inReplyTo }) {
    const { title, reason, edits } = mutationShape.parse(value);
    const id = scoped(orchestrator, key);
    const outcome = await decide(run, { id, orchestrator, title, reason, inReplyTo }, edits);
    return {
      reply: prompt(...formatOutcome(outcome)),
      event: outcome.applied ? "mutation applied" : "mutation rejected",
    };
  },
};

/** Report at the call what cannot be written, so that the model can fix it at once. */
function makeTool(run: Run, name: string): Tool {
  const propose = structuredTool(
    "propose_mutation",
    "Proposes a decision that binds every agent: an edit of contract files and its reason. Use it when the answer to a question changes what several agents rely on. It is shown to the user, and applied below all tasks when approved.",
    mutationShape,
  );
  return {
    ...propose,
    async run(input, context) {
      const proposal = mutationShape.parse(input);
      const problem =
        outOfTime(run, name) ??
        outsidePart(run, name, proposal) ??
        (await editsProblem(run, name, proposal.edits));
      return problem === null
        ? propose.run(input, context)
        : { ok: false, error: "invalid-input", output: problem };
    },
  };
}

const outOfTime = (run: RunReader, name: string): string | null =>
  canDecide(run, name)
    ? null
    : "No agent works on your contracts now, so a decision would apply to no one. Answer the event.";

/** A decision that binds peers is made by their common parent. (HOX-4.2, HYLO-2) */
function outsidePart(run: RunReader, name: string, { edits }: MutationProposal): string | null {
  if (name === rootOf(run)) return null;
  const own = run.orchestratorFacts(name).plan?.contracts.files ?? [];
  const inherited = chainOf(run, parentOf(run, name)).flatMap(
    (above) => run.orchestratorFacts(above).plan?.contracts.files ?? [],
  );
  const given = [...own, ...partOf(run, name).files];
  const outside = edits.find(
    ({ path }) => inherited.includes(path) || !given.some((claim) => claimCovers(claim, path)),
  );
  return outside === undefined
    ? null
    : `${outside.path} is not of your part: others rely on it. Put the question to ${parentOf(run, name)} with escalate.`;
}

/** Decisions that bind all below an orchestrator, until the user abandons them. */
export const decisions: Feature<Run> = {
  name: "decisions",
  agents: {
    refuseDone: { name: "decisions", why: (_, { contradiction }) => contradiction() },
    prompt: {
      decisions: (run, { worker }) => [
        section(
          "Decisions",
          decisionsFor(run, parentOf(run, worker)).map(
            (one) => promptLine`- ${one.title} (${one.files.map(shownName).join(", ")}): ${one.reason}`,
          ),
        ),
      ],
      conflicts: conflictSections,
    },
  },
  orchestratorTools: [proposeMutation],
  background: [decisionWork, decisionsOfSeveralRuns],
  onGraph: (run) => () => dropWithdrawn(run),
};

/** Conflicts of an agent's work with its decisions, and other conflicts. (HOX-5.1) */
function conflictSections(
  run: RunReader,
  { worker, conflicts, conflictPlaces }: PromptAbout,
): readonly PromptText[] {
  const { conflict } = run.worker(worker).record;
  const against = contradictionsOf(run, worker);
  const decision = bindingOn(run, worker).find(
    (one) => conflict?.kind === "decision" && one.changeId === conflict.decision,
  );
  const inConflict =
    conflicts.length > 0 &&
    decision !== undefined &&
    !against.some(
      ({ compliance }) => compliance.shownBy === "compliance" || compliance.shownBy === "override",
    );
  const elsewhere = against
    .filter(({ compliance }) => compliance.shownBy === "conflict")
    .flatMap(({ compliance }) => compliance.places.filter(({ path }) => !conflicts.includes(path)));
  return [
    inConflict
      ? section("Conflict with a decision", [
          promptLine`Your work contradicts the decision "${decision.title}": ${decision.reason}`,
          promptLine`The decision binds you. These files of yours hold jj's conflict markers; change them so that they follow the decision, and remove every marker:`,
          ...pathLines(conflicts),
          ...(elsewhere.length === 0
            ? []
            : [
                promptLine``,
                promptLine`These lines of yours may not follow it either, though no conflict shows them:`,
                ...elsewhere.map(placeLine),
              ]),
        ])
      : section(
          "Conflicts",
          conflicts.length > 0
            ? [
                ...mergedSideLines(run, worker),
                ...causeLines(conflict?.kind === "merge" ? conflict.cause : null),
                promptLine`These files hold jj's conflict markers. Bring both sides together:`,
                ...pathLines(conflicts),
                ...placesLines(conflictPlaces),
              ]
            : [],
        ),
    section(
      "Contradiction of a decision",
      against
        .filter(({ compliance }) => compliance.shownBy !== "conflict")
        .flatMap(({ decision: { title, reason }, compliance }) => [
          promptLine`Your work contradicts the decision "${title}": ${reason}`,
          quoteText(compliance.reason),
          ...compliance.places.map(placeLine),
          promptLine`The decision binds you: change your work so that it follows, and nothing of it counts as done before. If you think that the decision is wrong, say so with align_request and follow it meanwhile.`,
        ]),
    ),
  ];
}

const placeLine = (place: Place): PromptText =>
  promptLine`- ${shownName(place.path)}${place.line === null ? "" : `:${place.line}`}: \`${place.text}\``;

/** Whose merged work an agent's finished work conflicts with, and what that is for. */
function mergedSideLines(run: RunReader, worker: string): readonly PromptText[] {
  const sides = mergedSidesOf(run.worker(worker).record);
  if (sides.length === 0) return [];
  return [
    promptLine`Other work was merged meanwhile. Your change is on top of it now, and both wrote the same lines. You know what yours are for; this is what the other side is for:`,
    ...sides.flatMap((side) => {
      const other = run.workers.get(side.worker)?.record;
      return [
        promptLine`- ${side.worker}: ${other?.title ?? ""} (${side.files.map(shownName).join(", ")})`,
        ...(other === undefined || other.summary === "" ? [] : [quoteText(other.summary)]),
      ];
    }),
    promptLine``,
    promptLine`Keep what each side is for, with its tests. Drop a line of the other side only where yours replaces it. Then report done: the checks run then, and what fails comes back to you.`,
    promptLine``,
  ];
}

const placesLines = (places: readonly PromptText[]): readonly PromptText[] =>
  places.length === 0
    ? []
    : [
        promptLine``,
        promptLine`The places in conflict, with the lines around them. Replace each with edit_file, where its first marker line as old_text means all of it; you need not read these files again for that.`,
        ...places,
      ];

/** The cause of a conflict, for the agent that resolves it. */
const causeLines = (cause: ConflictCause | null): readonly PromptText[] =>
  cause === null
    ? []
    : [
        promptLine`They came with an operation of ${formatActor(cause.actor)}: "${cause.description}" (${cause.operation.slice(0, 12)}).`,
      ];

const formatActor = (actor: string): string =>
  actor === "terminal" ? "a user in a terminal" : actor === "hox" ? "a user in the app" : actor;

/**
 * A decision whose change the user abandoned is no longer binding: later ones are rebased, and contradictions
 * to it are cleared.
 */
async function dropWithdrawn(run: Run): Promise<void> {
  const gone: string[] = [];
  for (const { changeId } of run.facts.decisions) {
    if (run.changes.has(changeId)) continue;
    // A manual rewrite may have dropped the trailer; only an abandoned change counts as withdrawn.
    if ((await run.repository.commitsNamed(changeId)).length === 0) gone.push(changeId);
  }
  if (gone.length === 0) return;
  const freed = [...run.workers.values()].flatMap(({ record }) =>
    gone.includes(contradictedDecision(record) ?? "") ? [{ changeId: record.changeId }] : [],
  );
  // The graph first: restarted after a crash, it still finds the decision in the journal.
  await run.repository.setMetadata(
    freed.flatMap(({ changeId }) =>
      changeId !== null && run.changes.has(changeId)
        ? [{ change: changeId, patch: { msgType: null, replyTo: null } }]
        : [],
    ),
    { actor: "hox" },
  );
  const withdrawn = run.facts.decisions.filter((one) => gone.includes(one.changeId));
  // Another look at the same moment was quicker.
  if (withdrawn.length === 0) return;
  run.append({ kind: "DecisionsWithdrawn", decisions: gone });
  inform(
    run,
    `Withdrawn: ${withdrawn.map(({ title }) => `"${title}"`).join(", ")}. It no longer applies to any task.`,
  );
}
