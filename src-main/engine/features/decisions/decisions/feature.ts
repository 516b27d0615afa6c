import type { ConflictCause } from "#shared/domain/conflict/conflict.ts";
import { conflictParts, originOf } from "#shared/domain/conflict/conflict-text.ts";
import { complies, contradicts, type Place } from "#shared/domain/decision/compliance-status.ts";
import {
  type DecisionEdit,
  inForce,
  newOverrides,
  type Override,
  overridesIn,
} from "#shared/domain/decision/decision-edit.ts";
import type { DecisionRecord } from "#shared/domain/decision/decision-events.ts";
import { claimCovers } from "#shared/domain/files/claims.ts";
import {
  type PromptText,
  pathLines,
  prompt,
  promptLine,
  quoteText,
  section,
} from "#shared/domain/text/prompt-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { structuredTool } from "../../../../tools/structured-tool.ts";
import { ToolFailure } from "../../../../tools/tool-failure.ts";
import type { Tool } from "../../../../tools/tool-interface.ts";
import type { TextEdit } from "../../../../tools/write-refusals.ts";
import type { Feature, OrchestratorTool } from "../../../kernel/feature.ts";
import type { Run, RunGraph, RunReader, RunWriter } from "../../../ports.ts";
import { chainOf, decisionsFor, parentOf, partOf, rootOf } from "../../../workers/hierarchy.ts";
import type { CheckoutHandle } from "../../../workspaces/workspace-interface.ts";
import { applyDecision } from "./apply-decision.ts";
import { refuseByCompliance, reopenContradicting } from "./compliance.ts";
import {
  bindingOn,
  complianceOf,
  contradictionsOf,
  forgetCompliance,
  markContradicting,
  recordCompliance,
} from "./compliance-status.ts";
import { editsProblem, type MutationProposal, mutationShape } from "./mutation-edits.ts";
import { decideMutation, formatOutcome, proposeFiles } from "./mutations.ts";

/** An orchestrator's tool for a decision that binds all below it. */
const proposeMutation: OrchestratorTool<Run> = {
  name: "propose_mutation",
  answers: {
    "align-request": 3,
    "user answered": 1,
    "escalation answered": 1,
    "user message": 2,
    "mutation rejected": 2,
    "fold ready": 4,
    "child stalled": 4,
    "child silent": 4,
    "child blocked": 4,
  },
  make: makeTool,
  async carryOut(run, { value, ...asked }) {
    const outcome = await decideMutation(run, { ...asked, proposal: mutationShape.parse(value) });
    return {
      reply: prompt(...formatOutcome(outcome)),
      event: outcome.applied ? "mutation applied" : "mutation rejected",
    };
  },
};

/** Report at the call what cannot be written, so that the model can fix it at once. */
function makeTool(run: RunReader & RunGraph, name: string): Tool {
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
        outOfTime(run, name) ?? outsidePart(run, name, proposal) ?? (await editsProblem(run, name, proposal));
      return problem === null
        ? propose.run(input, context)
        : { ok: false, error: "invalid-input", output: problem };
    },
  };
}

/**
 * Only while agents work below: before that the contracts themselves are written, afterwards no agent would
 * follow.
 */
function outOfTime(run: RunReader, name: string): string | null {
  const { course } = run.stateOf(name);
  if (course.stage === "integrating" || (course.stage === "executing" && course.phase > 0)) return null;
  return "No agent works on your contracts now, so a decision would apply to no one. Answer the event.";
}

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
  services: (run) => ({
    decisions: {
      apply: (proposed, files) => applyDecision(run, proposed, files),
      propose: (proposed, files) => proposeFiles(run, proposed, files),
    },
    compliance: {
      contradictedBy: (worker) => contradictionsOf(run, worker)[0]?.decision.changeId ?? null,
      judgeSaved(worker, workspace, inConflict) {
        // Without markers nothing is in conflict any more; whether it follows the decision is judged when it is done.
        if (inConflict.length === 0) forgetCompliance(run, worker, "conflict");
        return findOverrides(run, worker, workspace, inConflict);
      },
      refuseDone: (work) => refuseByCompliance(run, work),
      guardWrites: (worker, workspace) => overrideGuard(run, worker, workspace),
      forget: (worker) => forgetCompliance(run, worker),
      markReturned: (worker) => markReturned(run, worker),
      reopenContradicting: (workers, actor) => reopenContradicting(run, workers, actor),
    },
  }),
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
      conflicts: (run, { worker, conflicts }) => conflictSections(run, worker, conflicts),
    },
  },
  orchestratorTools: [proposeMutation],
  onGraph: (run) => () => dropWithdrawn(run),
};

interface Demand {
  readonly decision: DecisionRecord;
  readonly edits: readonly DecisionEdit[];
}

/** What the decisions that bind a worker ask of their files today, where no later one replaced it. */
function demandsOn(run: RunReader, worker: string): readonly Demand[] {
  const decisions = bindingOn(run, worker);
  const edits = inForce(decisions.map((decision) => decision.edits ?? []));
  return decisions
    .map((decision, place) => ({ decision, edits: edits[place] ?? [] }))
    .filter(({ edits }) => edits.length > 0);
}

/**
 * Checks the files of a worker against the lines of every decision, and records the findings. An agent may
 * resolve a conflict in a decision's file; it may not revert the decision. (HOX-5.4)
 * @param inConflict files with conflict markers: they contain both sides, so they are judged when resolved
 * @returns why the work cannot count as done, for the agent; null if every line is there
 */
async function findOverrides(
  run: RunReader & RunWriter,
  worker: string,
  workspace: CheckoutHandle,
  inConflict: readonly string[],
): Promise<string | null> {
  const demands = demandsOn(run, worker);
  if (demands.length === 0) return null;
  const texts = await textsOf(
    workspace,
    demands.flatMap(({ edits }) => edits.map(({ path }) => path)),
  );
  const found: string[] = [];
  for (const { decision, edits } of demands) {
    const judged = edits.filter(({ path }) => !inConflict.includes(path));
    const overrides = overridesIn(judged, (path) => texts.get(path) ?? null);
    const compliance = complianceOf(run, decision.changeId, worker);
    if (overrides.length > 0) {
      const reason = `Its work takes the decision back: ${overrides.map(formatOverride).join("; ")}.`;
      recordCompliance(
        run,
        decision.changeId,
        contradicts(compliance, "override", reason, overrides.map(placeOf)),
      );
      found.push(refusalOf(decision, overrides));
    } else if (compliance.shownBy === "override")
      recordCompliance(run, decision.changeId, complies(compliance, "The lines of the decision are there."));
  }
  return found.length === 0 ? null : found.join("\n\n");
}

/** What a worker's writing tools ask before they write: see `overrides` of the workspace's files. */
const overrideGuard =
  (run: RunReader, worker: string, workspace: CheckoutHandle) =>
  async ({ path, before, after }: TextEdit): Promise<string | null> => {
    const demands = demandsOn(run, worker).filter(({ edits }) => edits.some((edit) => edit.path === path));
    if (demands.length === 0) return null;
    const texts = await textsOf(
      workspace,
      demands.flatMap(({ edits }) => edits.map((edit) => edit.path)),
    );
    for (const { decision, edits } of demands) {
      const found = newOverrides(
        edits,
        (file) => (file === path ? before : (texts.get(file) ?? null)),
        (file) => (file === path ? after : (texts.get(file) ?? null)),
      );
      if (found.length > 0) return `Nothing was written. ${refusalOf(decision, found)}`;
    }
    return null;
  };

async function textsOf(
  workspace: CheckoutHandle,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  // Larger than what tools may write: a file that a command blew up is still judged.
  const files = workspace.files({ maxBytes: 20_000_000 });
  const texts = new Map<string, string>();
  for (const path of new Set(paths)) {
    try {
      texts.set(path, (await files.readText(path)).text);
    } catch (error) {
      // Gone, or not text any more: the decision's lines are not there.
      if (!(error instanceof ToolFailure)) throw error;
    }
  }
  return texts;
}

const refusalOf = ({ title, reason }: DecisionRecord, overrides: readonly Override[]): string =>
  [
    `The decision "${title}" binds you: ${reason}`,
    ...overrides.map((override) => `- ${formatOverride(override)}`),
    "Follow it as it is. If you think that it is wrong, say so with align_request and follow it in the meantime.",
  ].join("\n");

const formatOverride = ({ path, kind, line, at }: Override): string =>
  kind === "taken-out"
    ? `${path} must keep its line \`${line}\``
    : `${path}${at === null ? "" : `:${at}`} must not have \`${line}\` again`;

const placeOf = ({ path, line, at }: Override): Place => ({ path, line: at, text: line });

/** Conflicts of an agent's work with its decisions, and other conflicts. (HOX-5.1) */
function conflictSections(
  run: RunReader,
  worker: string,
  conflicts: readonly string[],
): readonly PromptText[] {
  const { contradicts, conflictCause } = run.worker(worker).record;
  const against = contradictionsOf(run, worker);
  const decision = bindingOn(run, worker).find((one) => one.changeId === contradicts);
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
                ...causeLines(conflictCause ?? null),
                promptLine`These files hold jj's conflict markers. Bring both sides together:`,
                ...pathLines(conflicts),
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

/** The cause of a conflict, for the agent that resolves it. */
const causeLines = (cause: ConflictCause | null): readonly PromptText[] =>
  cause === null
    ? []
    : [
        promptLine`They came with an operation of ${formatActor(cause.actor)}: "${cause.description}" (${cause.operation.slice(0, 12)}).`,
      ];

const formatActor = (actor: string): string =>
  actor === "terminal" ? "a person in a terminal" : actor === "hox" ? "a person in the app" : actor;

/**
 * Marks a worker whose change is in conflict again with a decision that it contradicted before, because the
 * resolution was undone. Any other conflict is between two pieces of work. (HOX-5.1)
 * @returns whether it was one with a decision
 */
async function markReturned(run: Run, worker: string): Promise<boolean> {
  const { changeId } = run.worker(worker).record;
  const before = bindingOn(run, worker).filter(({ contradicted }) => contradicted.includes(worker));
  if (changeId === null || before.length === 0) return false;
  // From jj: a merge finds the conflict before the run has read the graph again.
  const [change] = await run.repository.commitsNamed(changeId);
  if (!change?.conflict) return false;
  const meeting = await meetingFiles(run, change.commitId, before);
  if (meeting === null) return false;
  const { decision, files } = meeting;
  recordCompliance(
    run,
    decision.changeId,
    contradicts(
      complianceOf(run, decision.changeId, worker),
      "conflict",
      "jj records a conflict with the decision.",
      files.map((path) => ({ path, line: null, text: "in conflict" })),
    ),
  );
  await markContradicting(run, [worker], "hox");
  return true;
}

/**
 * The newest of these decisions that conflicts in one of its files, with those files; null if there is none.
 */
async function meetingFiles(
  run: RunReader & RunGraph,
  commit: string,
  decisions: readonly DecisionRecord[],
): Promise<{ readonly decision: DecisionRecord; readonly files: readonly string[] } | null> {
  const brought = new Map<string, ReadonlySet<string>>();
  for (const { path } of await run.repository.conflictedFiles(commit))
    brought.set(path, await broughtTo(run, commit, path));
  for (const decision of decisions.toReversed()) {
    const files = decision.files.filter((path) => brought.get(path)?.has(decision.changeId));
    if (files.length > 0) return { decision, files };
  }
  return null;
}

/**
 * New changes of a run in one side of a conflict: the decision is a side itself, or an ancestor of merged
 * work. At their version then: the decision may have been rewritten since.
 */
async function broughtTo(
  run: RunReader & RunGraph,
  commit: string,
  path: string,
): Promise<ReadonlySet<string>> {
  const text = Buffer.from(await run.repository.readConflict(commit, path)).toString("utf8");
  const terms = conflictParts(text).flatMap((part) => (part.kind === "text" ? [] : part.terms));
  const commits = (kind: "side" | "base"): readonly string[] =>
    terms.flatMap((term) => (term.kind === kind ? (originOf(term.label).commit ?? []) : []));
  // The run's base is not new, and may have a long history.
  const onto = run.facts.onto === null ? [] : [run.facts.onto.commitId];
  const changes = await run.repository.changesBeyond(commits("side"), [...commits("base"), ...onto]);
  return new Set(changes.map(({ changeId }) => changeId));
}

/**
 * A decision whose change the user abandoned is no longer binding: later ones are rebased, and contradictions
 * to it are cleared.
 */
async function dropWithdrawn(run: Run): Promise<void> {
  const gone: string[] = [];
  for (const { changeId } of run.facts.decisions) {
    if (run.changes.has(changeId)) continue;
    // A manual rewrite may have dropped the trailer; only an abandoned change counts as withdrawn.
    const still = await run.repository.change(changeId);
    if (!still) gone.push(changeId);
  }
  if (gone.length === 0) return;
  const freed = [...run.workers.values()].flatMap(({ record: { changeId, contradicts } }) =>
    contradicts !== null && gone.includes(contradicts) ? [{ changeId }] : [],
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
  run.emit({
    kind: "notice",
    level: "info",
    text: `Withdrawn: ${withdrawn.map(({ title }) => `"${title}"`).join(", ")}. It no longer applies to any task.`,
    remedy: null,
  });
}
