import { z } from "zod";
import { type ArchangelWake, archangelOf, archangelWorker } from "#shared/domain/archangel/archangel.ts";
import type { CommentRecord } from "#shared/domain/archangel/archangel-records.ts";
import { lineNow } from "#shared/domain/archangel/archangel-records.ts";
import type { StageState } from "#shared/domain/run/stage-state.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { prompt, promptLine } from "#shared/domain/text/prompt-text.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { Conversation } from "../../../../agent/agent-interface.ts";
import { archangelsOf, purposeText } from "../../../../config/archangels.ts";
import { systemPrompt } from "../../../../config/resources-folder.ts";
import type { Tool } from "../../../../tools/tool-interface.ts";
import { defineTool, structuredTool } from "../../../../tools/tool-interface.ts";
import { askInFork, type UserAnswer, type UserQuestion } from "../../../conversations/ask-in-fork.ts";
import { conversationFactory } from "../../../conversations/conversation-factory.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { background, type Feature, type OrchestratorTool, type Tick } from "../../../kernel/feature.ts";
import { addressOf, listenersTo } from "../../../orchestrators/messages.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { isWatch, orchestratorsOf, parentOf, rootOf } from "../../../workers/hierarchy.ts";
import { archangelCommands } from "./commands.ts";
import { archangelNamed, dueReviews, followDay, isDaySpent } from "./due.ts";
import { review } from "./review.ts";
import { whatArchangelKnows } from "./review-prompt.ts";
import { reviewTools } from "./review-tools.ts";
import { putSuggestion, takeSuggestion, whyNoTask, whyNotTaken } from "./suggestions.ts";
import { latestOf, sendComment } from "./write-comment.ts";

const shape = z.strictObject({
  suggestion: z.string().min(1).max(200).describe("As it was named to you, as in finder-2."),
});

/** Lets an orchestrator accept what a reviewer suggests; the event is put to it again afterwards. (AX-11) */
const takeSuggestionTool: OrchestratorTool<Run> = {
  name: "take_suggestion",
  answers: { "merge request ready": 7 },
  make(run, orchestrator) {
    const tool = structuredTool(
      "take_suggestion",
      "Turns a background reviewer's suggestion into a task of your plan, with a separate agent. Use it when the goal is not reached without it; leave everything else to the user, who sees both. The event is repeated afterwards.",
      shape,
    );
    return {
      ...tool,
      async run(input, context) {
        const problem = whyNotTaken(run, orchestrator, shape.parse(input).suggestion);
        return problem === null
          ? tool.run(input, context)
          : { ok: false, error: "not-allowed", output: problem };
      },
    };
  },
  async execute(run, { orchestrator, value }) {
    const { suggestion } = shape.parse(value);
    const problem = whyNotTaken(run, orchestrator, suggestion);
    if (problem !== null) return { reply: prompt(promptLine`${suggestion} was not taken: ${problem}`) };
    return (await takeSuggestion(run, orchestrator, suggestion))
      ? { reply: prompt(promptLine`${suggestion} is a task of your plan now.`) }
      : {
          reply: prompt(promptLine`${suggestion} did not become a task; it is kept for the user as an idea.`),
        };
  },
};

/**
 * A question of the user is part of the archangel's conversation, so that its next review knows of it.
 *
 * @returns null for an unknown name
 */
export function askArchangel(run: Run, question: UserQuestion): Promise<UserAnswer> | null {
  const archangel = archangelNamed(run, archangelOf(question.who) ?? question.who);
  if (archangel === null) return null;
  const { name, isOn, purpose } = archangel;
  if (!isOn)
    throw new EngineRefusal(`The archangel ${name} is off.`, "Turn it on in the settings, then ask again.");
  const who = archangelWorker(name);
  const words = purposeText(purpose, run.repository.root);
  // Not during a review: a conversation has one turn at a time.
  return run.serial.run(`archangel/${name}`, async () => {
    run.addWorker({
      name: who,
      role: "archangel",
      parent: rootOf(run),
      title: startOf(words.split("\n")[0] ?? name, 200),
    });
    const start = await conversationFactory(run, who, {
      system: systemPrompt("archangel", who, { purpose: words }),
      tools: reviewTools({ run, archangel: name, work: [] }),
      place: run.workspaces.home(),
      gate: () => null,
    });
    const history = run.journal.history(run.id, who);
    const origin = start({ token: history });
    const { token, ...answer } = await askInFork(
      run,
      { ...question, who },
      history ? origin : withSystemPrompt(run, origin),
    );
    // A review that a pause left open resumes unchanged.
    if (run.journal.openConversation(run.id, who) === null) run.journal.setHistory(run.id, who, token);
    return answer;
  });
}

/** Without a review yet, it gets its initial prompt. */
const withSystemPrompt = (run: Run, conversation: Conversation): Conversation => ({
  ...conversation,
  fork: (options) =>
    conversation.fork({ ...options, suffix: prompt(whatArchangelKnows(run), options.suffix) }),
});

const isWanted = (run: RunReader, wake: ArchangelWake): boolean =>
  archangelsOf(run.config).some(({ isOn, wakes }) => isOn && wakes.includes(wake));

/** Moments without an event: the end of a phase, and idleness. */
export const seePhaseEnds = background({
  desired: (run: Run) =>
    isWanted(run, "phase_end")
      ? orchestratorsOf(run).flatMap((orchestrator) => {
          const phase = lastPhaseEnded(run.stateOf(orchestrator));
          return phase > (run.facts.archangels.phasesSeen[orchestrator] ?? 0)
            ? [{ id: `phase-end/${orchestrator}/${phase}`, orchestrator, phase }]
            : [];
        })
      : [],
  perform: async (run, { orchestrator, phase }) => run.append({ kind: "PhaseEndSeen", orchestrator, phase }),
  failure: () => ({ title: "The end of a phase was not recorded" }),
});

/** Contracts are phase 0, whose end is no end of work. */
function lastPhaseEnded({ current, tasks }: StageState): number {
  switch (current.stage) {
    case "executing":
      return current.settled ? current.phase : current.phase - 1;
    case "integrating":
    case "validating":
    case "learning":
    case "landing":
      return Math.max(0, ...tasks.map(({ phase }) => phase));
    default:
      return 0;
  }
}

/** Idle time before archangels are woken. */
export const idleMs = 5 * 60_000;

export const seeIdle: Tick<Run> = {
  name: "idle archangels",
  everyMs: () => 30_000,
  look(run) {
    const { moments, last } = run.facts.archangels;
    if (
      isWatch(run) ||
      !isWanted(run, "idle") ||
      moments === 0 ||
      last.at(-1)?.wake === "idle" ||
      run.isPausedOrOver()
    )
      return;
    const movedAt = [...run.workers.values()].flatMap(({ record, lastActivityAt }) =>
      roles[record.role].hasIterations || roles[record.role].isLead ? [lastActivityAt] : [],
    );
    if (run.monotonic() - Math.max(...movedAt) >= idleMs)
      run.append({ kind: "IdleSeen", orchestrator: rootOf(run) });
  },
};

/** Comments on lines whose change was written again since they were placed. */
function toPlace(run: RunReader) {
  const moved = run.facts.archangels.comments.flatMap((comment) => {
    const { changeId, lineText, isResolved, placedIn } = comment;
    const commit = run.changes.get(changeId ?? "")?.commitId;
    return commit === undefined || lineText === null || isResolved || placedIn === commit
      ? []
      : [{ commit, comment }];
  });
  return [...Map.groupBy(moved, ({ commit }) => commit)].map(([commit, all]) => ({
    id: `comments/${commit}`,
    commit,
    comments: all.map(({ comment }) => comment),
  }));
}

/** Effects of comments: lines are followed, comments sent on, suggestions shown to the user. */
const placeComments = background({
  runsWhilePaused: true,
  desired: (run: Run) => toPlace(run),
  async perform(run, { commit, comments }) {
    const paths = [...new Set(comments.flatMap(({ path }) => path ?? []))];
    const texts = await run.repository.readTexts(commit, paths);
    const lines = comments.map(
      ({ id, path, line, lineText }) =>
        [id, lineNow(texts.get(path ?? "") ?? null, line ?? 1, lineText ?? "")] as const,
    );
    run.append({ kind: "CommentsPlaced", commit, lines: Object.fromEntries(lines) });
  },
  failure: () => ({ title: "Comments could not follow their lines" }),
});

/** `deliver = "agent"`: as soon as an agent that still reads messages works on it. */
const sendComments = background({
  desired: (run: Run) =>
    run.facts.archangels.comments
      .filter((comment) => isToBeSent(run, comment))
      .map(({ id }) => ({ id: `comment/${id}`, comment: id })),
  async perform(run, { comment: id }) {
    const comment = run.facts.archangels.comments.find((one) => one.id === id);
    if (comment && isToBeSent(run, comment)) await sendComment(run, comment);
  },
  failure: () => ({ title: "A comment could not be sent" }),
});

function isToBeSent(run: RunReader, { archangel, worker, sentTo, isResolved }: CommentRecord): boolean {
  if (sentTo !== null || isResolved || worker === null) return false;
  if (archangelNamed(run, archangel)?.deliver !== "agent") return false;
  const to = latestOf(run, worker);
  return to !== null && listenersTo(run, addressOf(run, to)).length > 0;
}

/** A card for each open suggestion, until it is decided; it blocks nothing. */
const putSuggestions = background({
  runsWhilePaused: true,
  desired: (run: Run) =>
    run.facts.archangels.suggestions
      .filter(({ state }) => state === "open")
      .map((suggestion) => ({ id: `suggestion/${suggestion.id}`, suggestion })),
  perform: (run, { suggestion }) => putSuggestion(run, suggestion),
  failure: () => ({ title: "A suggestion could not be applied" }),
});

/**
 * Background reviewers: they get a run's context once and then only what is new, comment and suggest. They
 * block nothing, have no vote, and do not see each other's comments. (design section 11)
 */
export const archangels: Feature<Run> = {
  name: "archangels",
  commands: archangelCommands,
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
    background({
      desired: (run: Run) => (isDaySpent(run) ? [] : dueReviews(run)),
      perform: (run, { archangel }) => review(run, archangel),
      failure: ({ archangel }) => ({
        title: `The archangel ${archangel} could not review the latest changes`,
      }),
    }),
    seePhaseEnds,
    placeComments,
    sendComments,
    putSuggestions,
  ],
  ticks: [seeIdle, followDay],
};

const passOnToolShape = z.strictObject({
  comment: z.string().min(1).max(200).describe("As it was named to you, as in security-2."),
});

/** Without the tool no comments are listed for the orchestrator. */
const tellsOrchestrators = (run: RunReader): boolean =>
  archangelsOf(run.config).some(({ isOn, comments }) => isOn && comments === "orchestrator");

/**
 * Lets an orchestrator pass an archangel's comment on to one of its agents. Comments reach agents in no other
 * way.
 */
const passOnTool = (run: Run, orchestrator: string): Tool =>
  defineTool<z.infer<typeof passOnToolShape>>({
    name: "pass_on_comment",
    description:
      "Passes a background reviewer's comment on to your agent, as information. Use it for a comment that this agent can act on and would miss.",
    input: passOnToolShape,
    writes: true,
    async run({ comment: id }) {
      const own = run.facts.archangels.comments.filter(
        ({ worker, archangel }) =>
          worker !== null &&
          parentOf(run, worker) === orchestrator &&
          archangelNamed(run, archangel)?.comments === "orchestrator",
      );
      const comment = own.find((one) => one.id === id);
      if (!comment)
        return {
          ok: false,
          error: "not-found",
          output: `There is no comment ${id} for you. Comments: ${own.map((one) => one.id).join(", ") || "none"}.`,
        };
      try {
        return { ok: true, output: `Sent to ${await sendComment(run, comment)}.` };
      } catch (error) {
        if (!(error instanceof EngineRefusal)) throw error;
        return { ok: false, error: "not-allowed", output: `${error.message} ${error.remedy}` };
      }
    },
  });
