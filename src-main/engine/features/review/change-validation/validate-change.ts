/** `hox validate <change>`: a panel judges a change of the repository, without a run. */
import type { CommandInput } from "#shared/contract/commands.ts";
import type { ChangeValidation, JudgingEnd, ValidationView } from "#shared/contract/views/validation.ts";
import { filesOfDiff } from "#shared/domain/files/diff.ts";
import { parseDescription } from "#shared/domain/graph-words/trailers.ts";
import { contextOf } from "#shared/domain/patterns/pattern-context.ts";
import { type FirstLook, notLooked } from "#shared/domain/project/first-look.ts";
import { check } from "#shared/domain/spending/budget.ts";
import { addSpent, nothingSpent, type Spent } from "#shared/domain/spending/usage.ts";
import type { PromptText } from "#shared/domain/text/prompt-text.ts";
import { type Panel, panelFor } from "#shared/domain/validation/panel.ts";
import { type PanelMakeup, trustIn } from "#shared/domain/validation/panel-trust.ts";
import type { Change } from "#shared/graph/change.ts";
import type { Config } from "../../../../config/config-interface.ts";
import type { Repository } from "../../../../jj/repository-interface.ts";
import { learnedPatterns } from "../../../../patterns/learned.ts";
import { createPatternStore } from "../../../../patterns/pattern-store.ts";
import type { PatternStore } from "../../../../patterns/patterns-interface.ts";
import { createRedactor, secretsOf } from "../../../../tools/redact.ts";
import { validate } from "../../../../validation/validate.ts";
import type {
  OpenedSeat,
  SeatConversation,
  ValidationOutcome,
} from "../../../../validation/validation-interface.ts";
import { conversationDriver } from "../../../conversations/conversation-factory.ts";
import { instructionsAt, sectionOfInstructions } from "../../../conversations/project-instructions.ts";
import { EngineRefusal, explain } from "../../../engine-errors.ts";
import { changeMatching } from "../../../graph-sync/run-base.ts";
import type { CommandScope } from "../../../kernel/commands.ts";
import type { Run } from "../../../ports.ts";
import { lookAtBase } from "../../../project/look-at-base.ts";
import { roleSettings } from "../../../role-settings.ts";
import { configuredLimits, startLimits } from "../../../start-run.ts";
import { checkOptions } from "../../../workspaces/check-options.ts";
import { setUpCheckouts } from "../../../workspaces/set-up-checkouts.ts";
import { maxDiffLength } from "../validation/panel-of-run.ts";
import { closeJudgeHost, type JudgeHost, judgingConfig, openJudgeHost } from "./judge-host.ts";

/** What is judged, known before anything is paid. */
export interface PreparedValidation {
  readonly host: JudgeHost;
  readonly panel: Panel;
  readonly diff: string;
  /** On what its checks are held against; null: nothing. */
  readonly base: string | null;
  readonly ended: AbortController;
  readonly context: SeatContext;
  readonly first: ChangeValidation;
}

/** A prompt has no room for more; the last ones bind first. */
const maxDecisions = 50;

/** Context for a judge of a change: the state before it, and never the change's own description. */
interface SeatContext {
  readonly decisions: readonly { readonly title: string; readonly reason: string }[];
  readonly instructions: PromptText;
  readonly learned: PromptText;
}

/** @param bases commits that the change is based on or compared with */
async function seatContext(
  { repository, patterns, config }: ContextParts,
  { bases, diff, goal }: { readonly bases: readonly string[]; readonly diff: string; readonly goal: string },
  signal: AbortSignal,
): Promise<SeatContext> {
  const files = filesOfDiff(diff).map(({ path }) => path);
  const [first] = bases;
  const instructions = first === undefined ? [] : await instructionsAt(repository, first, signal);
  const { patterns: trusted } = await patterns.trusted();
  return {
    decisions: await decisionsBelow(repository, bases),
    instructions: sectionOfInstructions(instructions, files),
    learned: learnedPatterns(trusted, {
      reader: "validator",
      work: contextOf(goal, files),
      maxCharacters: config.patterns.maxPromptCharacters,
    }).text,
  };
}

interface ContextParts {
  readonly repository: Repository;
  readonly patterns: PatternStore;
  readonly config: Config;
}

/** Decisions that are its ancestors, oldest first. (HYLO-5) */
async function decisionsBelow(
  repository: Repository,
  bases: readonly string[],
): Promise<SeatContext["decisions"]> {
  const found = await repository.decisionsBelow(bases, { limit: maxDecisions });
  return found.map(({ description }) => {
    const { subject, body } = parseDescription(description);
    return { title: subject, reason: body.replace(/\s+/gu, " ").trim() };
  });
}

/** @throws EngineRefusal if there is nothing to judge, or no validators */
export async function prepareValidation(
  scope: CommandScope<Run>,
  input: CommandInput<"change.validate">,
): Promise<PreparedValidation> {
  const { repository } = scope;
  const change = await judgeable(repository, input.change);
  const from = input.from === null ? null : await changeMatching(repository, input.from);
  const diff = await repository.diff({
    commit: change.commitId,
    limit: maxDiffLength,
    ...(from === null ? {} : { from: from.commitId }),
  });
  if (diff.trim() === "")
    throw new EngineRefusal(
      `${titleOf(change)} changes no files${from === null ? "" : " since then"}: there is nothing to validate.`,
      "Give a change with files, or another revision to compare with (--from).",
    );
  const goal = input.goal || goalOf(change);
  if (goal.trim() === "")
    throw new EngineRefusal(
      `${change.changeId.slice(0, 12)} has no description, so its goal is unknown.`,
      'Give it with --goal "…", or describe the change.',
    );
  const judging = await judgingConfig(scope);
  const ended = new AbortController();
  const parts = { repository, patterns: createPatternStore(scope), config: judging.config };
  const standsOn = from === null ? change.parents : [from.commitId];
  const context = await seatContext(parts, { bases: standsOn, diff, goal }, ended.signal);
  const panel = panelNow(judging, context.decisions.length > 0);
  const makeup = makeupOf(panel, judging.model);
  const host = await openJudgeHost(
    scope,
    judging,
    makeup.seats.map((seat) => seat.model),
    ended,
  );
  const base = from ?? (await baseOf(repository, change));
  return {
    host,
    panel,
    diff,
    base: base?.commitId ?? null,
    ended,
    context,
    first: {
      id: scope.newId(),
      changeId: change.changeId,
      commitId: change.commitId,
      from: standsOn,
      title: titleOf(change),
      goal,
      panel: makeup,
      at: scope.now(),
      endedAt: null,
      activity: "creating a fresh checkout",
      validation: null,
      spent: nothingSpent,
      limit: startLimits(input, configuredLimits(judging.config, scope.settings())),
      trust: trustIn(scope.journal.verdicts(), makeup),
      end: null,
    },
  };
}

interface Subject {
  readonly commit: string;
  /** Git-format, of all that is judged. */
  readonly diff: string;
  readonly goal: string;
  readonly decisions: readonly { readonly title: string; readonly reason: string }[];
  /** What the project says, and what was learned here, as sections. */
  readonly instructions: PromptText;
  readonly learned: PromptText;
  readonly panel: Panel;
  /** The checks' results on its base; null: there is nothing to compare with. */
  readonly look: FirstLook | null;
  /** Tells its votes from those on anything else. */
  readonly ballot: string;
}

interface JudgingHooks {
  readonly signal: AbortSignal;
  readonly gate: () => "budget" | null;
  readonly spend: (spent: Spent) => void;
  readonly show: (activity: string) => void;
  readonly voted: (view: ValidationView) => void;
}

/** One panel judges one commit, without a run. */
async function judgeCommit(
  host: JudgeHost,
  subject: Subject,
  { signal, gate, spend, show, voted }: JudgingHooks,
): Promise<ValidationOutcome> {
  const { config } = host;
  const places = await setUpCheckouts(host, subject.commit, {
    environment: {},
    signal,
    show,
    failed: (what, detail) => host.appendTranscript("hox", { kind: "notice", text: `${what}. ${detail}` }),
  });
  const open = (seat: string, { system, tools, checkout }: SeatConversation): OpenedSeat => ({
    conversation: conversationDriver(host.driver).start({
      model: subject.panel.seats.find(({ name }) => name === seat)?.model ?? host.model,
      system,
      tools,
      toolContext: {
        agent: seat,
        signal,
        files: checkout.files({ protectedFiles: [] }),
        run: checkout.run,
        environment: {},
        redact: createRedactor([...secretsOf(process.env), ...host.secrets()]).redact,
      },
      requester: `${host.id}/${seat}`,
      ...roleSettings.validator.answers(config),
      maxTurns: config.loopDefaults.maxTurns,
      gate,
      onEntry: () => undefined,
      onSpent: spend,
    }),
    isResumed: false,
  });
  try {
    show("running checks in a fresh checkout");
    return await validate({
      commit: subject.commit,
      run: subject.ballot,
      attempt: 1,
      seats: subject.panel.seats.length,
      panel: subject.panel,
      threshold: config.validation.consensusThreshold,
      evidence: {
        goal: subject.goal,
        plan: null,
        abandoned: [],
        diff: subject.diff,
        decisions: subject.decisions,
        summaries: {},
      },
      converse: async (seat, _, begin) => open(seat, begin),
      ...(host.driver.scheduler ? { scheduler: host.driver.scheduler } : {}),
      checkout: places.checkout,
      async runChecks(place, of) {
        const looked = { ...notLooked, look: subject.look };
        const options = checkOptions({ config, facts: { firstLook: looked } });
        return place
          .checks({ ...options, foundIn: host.home })
          .run({ iteration: 1, all: true, signal: of, environment: {} });
      },
      tell: () => undefined,
      onVote(view) {
        show("validators are reviewing");
        voted(view);
      },
      signal,
      now: host.now,
      seatTimeoutMs: config.validation.seatTimeoutSeconds * 1000,
      commandTimeoutSeconds: config.loopDefaults.commandTimeoutSeconds,
      instructions: subject.instructions,
      learned: subject.learned,
    });
  } finally {
    await places.remove();
  }
}

/** @throws EngineRefusal where there is nothing to judge */
async function judgeable(repository: Repository, wish: string): Promise<Change> {
  const change = await changeMatching(repository, wish);
  if (change.parents.length === 0)
    throw new EngineRefusal(
      "This is jj's root commit: there is nothing to validate.",
      "Give another change.",
    );
  if (change.conflict)
    throw new EngineRefusal(
      `${change.changeId.slice(0, 12)} has conflicts.`,
      "Resolve them, then validate again.",
    );
  return change;
}

const titleOf = ({ description, changeId }: Change): string =>
  parseDescription(description).subject || changeId.slice(0, 12);

/** What its description says that it does; the trailers say nothing of that. */
const goalOf = ({ description }: Change): string => {
  const { subject, body } = parseDescription(description);
  return [subject, body].filter((part) => part.trim() !== "").join("\n\n");
};

/** The parent on which baseline failures are known; null if it is root or there are several. */
const baseOf = async (repository: Repository, { parents }: Change): Promise<Change | null> => {
  const [parent, ...others] = parents;
  if (parent === undefined || others.length > 0) return null;
  const base = await repository.change(parent);
  return base === null || base.parents.length === 0 ? null : base;
};

/**
 * The panel for a change without a run, by the current settings: all seats, because the user asked for a
 * verdict. Without a run there are no peers and nothing to compare.
 */
function panelNow(
  { config, model }: { readonly config: Config; readonly model: string },
  hasDecisions: boolean,
): Panel {
  const { strategy, validatorCount, models } = config.validation;
  const panel = panelFor({
    ...{ strategy, seats: validatorCount, models, hasDecisions },
    authors: [],
    earlierRuns: 0,
  });
  return { ...panel, seats: panel.seats.map((seat) => ({ ...seat, model: seat.model ?? model })) };
}

const makeupOf = ({ strategy, seats }: Panel, model: string): PanelMakeup => ({
  strategy,
  seats: seats.map((seat) => ({ seat: seat.name, evidence: seat.evidence, model: seat.model ?? model })),
});

/** Judges, shows each vote as it comes and keeps it. Never rejects: how it ended is part of what it shows. */
export async function validateChange(
  { journal, now }: Pick<CommandScope<Run>, "journal" | "now">,
  { host, panel, diff, base, ended, context, first }: PreparedValidation,
  show: (value: ChangeValidation) => void,
  signal: AbortSignal,
): Promise<void> {
  let shown = first;
  const move = (patch: Partial<ChangeValidation>): void => {
    shown = { ...shown, ...patch };
    journal.setValidation(shown);
    show(shown);
  };
  const abort = (): void => ended.abort();
  signal.addEventListener("abort", abort, { once: true });
  let end: JudgingEnd;
  try {
    move({});
    const look =
      base === null || host.config.backpressure.firstLook === "off"
        ? null
        : (
            await lookAtBase(host, {
              ...{ commit: base, given: null, usesKept: true, environment: {}, signal: ended.signal },
              show: (activity) => move({ activity: `before the change: ${activity}` }),
              mayRun: () => Promise.resolve(),
            })
          ).look;
    const outcome = await judgeCommit(
      host,
      {
        ...{ commit: first.commitId, diff, goal: first.goal, ...context, panel, look },
        ballot: first.id,
      },
      {
        signal: ended.signal,
        gate: () => (check(shown.limit, shown.spent).kind === "exhausted" ? "budget" : null),
        spend: (spent) => move({ spent: addSpent(shown.spent, spent) }),
        show: (activity) => move({ activity }),
        voted: (validation) => move({ validation }),
      },
    );
    move({ validation: outcome.view });
    end =
      outcome.stopped === "budget"
        ? { kind: "budget" }
        : outcome.stopped === null
          ? { kind: "done" }
          : { kind: "cancelled" };
  } catch (error) {
    end = signal.aborted ? { kind: "cancelled" } : { kind: "failed", ...explain(error) };
  } finally {
    signal.removeEventListener("abort", abort);
  }
  ended.abort();
  await closeJudgeHost(host);
  move({ end, endedAt: now(), activity: "" });
}
