/** `hox validate <change>`: a panel judges a change of the repository, without a run. */

import type { ChangeValidation, JudgingEnd } from "#shared/contract/commands/validation.ts";
import type { CommandInput } from "#shared/contract/commands.ts";
import { parseDescription } from "#shared/domain/change-metadata/trailers.ts";
import { filesOfDiff } from "#shared/domain/files/diff.ts";
import { contextOf } from "#shared/domain/patterns/pattern-context.ts";
import { notLooked, type Preflight } from "#shared/domain/project/preflight.ts";
import { check } from "#shared/domain/spending/budget.ts";
import { addSpent, nothingSpent, noUsage, type Spent } from "#shared/domain/spending/usage.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { panelFor, type ValidationView } from "#shared/domain/validation/panel.ts";
import { type PanelMakeup, trustIn } from "#shared/domain/validation/panel-trust.ts";
import type { Change } from "#shared/graph/change.ts";
import type { Config } from "../../../../config/config-interface.ts";
import type { Repository } from "../../../../jj/ports/repository-interface.ts";
import type { ModelDriver } from "../../../../model/driver-interface.ts";
import { priceOf } from "../../../../model/price-table.ts";
import { learnedPatterns } from "../../../../patterns/learned.ts";
import { createPatternStore } from "../../../../patterns/pattern-store.ts";
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
import { failureOf } from "../../../kernel/best-effort.ts";
import type { CommandScope } from "../../../kernel/commands.ts";
import { warn } from "../../../kernel/notify.ts";
import type { Run } from "../../../ports.ts";
import { type LookHost, lookAtBase } from "../../../project/look-at-base.ts";
import { roleSettings } from "../../../role-settings.ts";
import { configuredLimits, soundConfig, startLimits } from "../../../start-run.ts";
import { checkOptions } from "../../../workspaces/check-options.ts";
import { createGitViews } from "../../../workspaces/git-views.ts";
import {
  panelId,
  removePanelCheckouts,
  setUpCheckouts,
  userFolder,
} from "../../../workspaces/set-up-checkouts.ts";
import type { CheckoutHandle } from "../../../workspaces/workspace-interface.ts";
import { maxDiffLength } from "../validation/panel-of-run.ts";

/** What judges a commit without a run: the repository's settings, its sandbox, its model, and a place for checkouts. */
interface JudgeHost extends LookHost {
  readonly config: Config;
  readonly driver: ModelDriver;
  /** For seats without a model setting. */
  readonly model: string;
  readonly home: CheckoutHandle;
  readonly secrets: () => readonly string[];
}

/**
 * @param models all that will be asked
 * @throws EngineRefusal or the driver's own refusal, before anything is paid
 */
async function openJudgeHost(
  scope: CommandScope<Run>,
  { config, model }: { readonly config: Config; readonly model: string },
  models: readonly string[],
  ended: AbortController,
): Promise<JudgeHost> {
  // What cannot be counted is not paid.
  for (const one of models) priceOf(noUsage, one);
  const { repository, stateFolder, emit } = scope;
  const driver = await scope.driverFor({ rehearsal: null, apiKeyEnv: config.models.apiKeyEnv });
  const gitViews = createGitViews({ repository, stateFolder, emit, base: () => null });
  const host = {
    id: panelId(scope.newId()),
    stateFolder,
    repository,
    runEnded: ended,
    config,
    gitViews,
    now: scope.now,
    appendTranscript: (_: string, entry: { readonly kind: string; readonly text?: string }) => {
      if (entry.kind === "notice" && entry.text !== undefined) warn({ emit }, shownLine(entry.text));
    },
    sandbox: async () => gitViews.before(await scope.sandbox(config)),
  };
  return {
    ...host,
    driver,
    model,
    home: userFolder(host),
    secrets: scope.secrets ?? (() => []),
  };
}

/** Removes a judge's files. If that fails it is reported, and the next one removes them. */
async function closeJudgeHost({ stateFolder, id, appendTranscript }: JudgeHost): Promise<void> {
  const failed = await failureOf(() => removePanelCheckouts(stateFolder, id));
  if (failed) {
    const text = `A temporary checkout could not be removed: ${explain(failed.error).message}`;
    appendTranscript("hox", { kind: "notice", text });
  }
}

/** What is judged, known before anything is paid. */
export type PreparedValidation = Awaited<ReturnType<typeof prepareValidation>>;

/** A prompt has no room for more; the last ones bind first. */
const maxDecisions = 50;

/**
 * Context for a judge of a change: the state before it, and never the change's own description.
 *
 * @param bases commits that the change is based on or compared with
 */
async function seatContext(
  scope: CommandScope<Run>,
  config: Config,
  { bases, diff, goal }: { readonly bases: readonly string[]; readonly diff: string; readonly goal: string },
) {
  const { repository } = scope;
  const files = filesOfDiff(diff).map(({ path }) => path);
  const [first] = bases;
  const instructions = first === undefined ? [] : await instructionsAt(repository, first);
  const { patterns: trusted } = await createPatternStore(scope).trusted();
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

/** Decisions that are its ancestors, oldest first. (HYLO-5) */
async function decisionsBelow(repository: Repository, bases: readonly string[]) {
  const found = await repository.decisionsBelow(bases, { limit: maxDecisions });
  return found.map(({ description }) => {
    const { subject, body } = parseDescription(description);
    return { title: subject, reason: body.replace(/\s+/gu, " ").trim() };
  });
}

/** @throws EngineRefusal if there is nothing to judge, or no validators */
export async function prepareValidation(scope: CommandScope<Run>, input: CommandInput<"change.validate">) {
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
  const { config, path } = await soundConfig(scope);
  const ended = new AbortController();
  const standsOn = from === null ? change.parents : [from.commitId];
  const context = await seatContext(scope, config, { bases: standsOn, diff, goal });
  const defaultModel = path === null ? scope.settings().model : config.models.default;
  const model = roleSettings.validator.model(config, "") ?? defaultModel;
  const panel = panelNow(config, model, context.decisions.length > 0);
  const makeup: PanelMakeup = {
    strategy: panel.strategy,
    seats: panel.seats.map((seat) => ({ seat: seat.name, evidence: seat.evidence, model: seat.model })),
  };
  const models = makeup.seats.map((seat) => seat.model);
  const host = await openJudgeHost(scope, { config, model }, models, ended);
  // The state on which baseline failures are known; null: nothing is held against it.
  const base = (from ?? (await baseOf(repository, change)))?.commitId ?? null;
  const first: ChangeValidation = {
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
    limit: startLimits(input, configuredLimits(config, scope.settings())),
    trust: trustIn(scope.journal.verdicts(), makeup),
    end: null,
  };
  return { host, panel, diff, base, ended, context, first };
}

/**
 * One panel judges one commit, without a run.
 *
 * @param look the checks' results on its base; null: there is nothing to compare with
 */
async function judgeCommit(
  { host, panel, diff, context, first, ended: { signal } }: PreparedValidation,
  look: Preflight | null,
  hooks: {
    readonly gate: () => "budget" | null;
    readonly spend: (spent: Spent) => void;
    readonly show: (activity: string) => void;
    readonly voted: (view: ValidationView) => void;
  },
): Promise<ValidationOutcome> {
  const { config } = host;
  const places = await setUpCheckouts(host, first.commitId, {
    environment: {},
    signal,
    show: hooks.show,
    failed: (what, detail) => host.appendTranscript("hox", { kind: "notice", text: `${what}. ${detail}` }),
  });
  const open = (seat: string, { system, tools, checkout }: SeatConversation): OpenedSeat => ({
    conversation: conversationDriver(host.driver).start({
      model: panel.seats.find(({ name }) => name === seat)?.model ?? host.model,
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
      gate: hooks.gate,
      onEntry: () => undefined,
      onSpent: hooks.spend,
    }),
    isResumed: false,
  });
  try {
    hooks.show("running checks in a fresh checkout");
    return await validate({
      commit: first.commitId,
      // Tells its votes from those on anything else.
      run: first.id,
      attempt: 1,
      panel,
      threshold: config.validation.consensusThreshold,
      evidence: {
        ...{ goal: first.goal, plan: null, abandoned: [], diff, summaries: {} },
        decisions: context.decisions,
      },
      converse: async (seat, _, begin) => open(seat, begin),
      ...(host.driver.scheduler ? { scheduler: host.driver.scheduler } : {}),
      checkout: places.checkout,
      async runChecks(place, of) {
        const options = checkOptions({ config, facts: { preflight: { ...notLooked, look } } });
        return place
          .checks({ ...options, foundIn: host.home })
          .run({ iteration: 1, all: true, signal: of, environment: {} });
      },
      tell: () => undefined,
      onVote(view) {
        hooks.show("validators are reviewing");
        hooks.voted(view);
      },
      signal,
      now: host.now,
      seatTimeoutMs: config.validation.seatTimeoutSeconds * 1000,
      commandTimeoutSeconds: config.loopDefaults.commandTimeoutSeconds,
      instructions: context.instructions,
      learned: context.learned,
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
function panelNow(config: Config, model: string, hasDecisions: boolean) {
  const { strategy, validatorCount, models } = config.validation;
  const panel = panelFor({
    ...{ strategy, seats: validatorCount, models, hasDecisions, authors: [], earlierRuns: 0 },
  });
  return { ...panel, seats: panel.seats.map((seat) => ({ ...seat, model: seat.model ?? model })) };
}

/** Judges, shows each vote as it comes and keeps it. Never rejects: how it ended is part of what it shows. */
export async function validateChange(
  { journal, now }: Pick<CommandScope<Run>, "journal" | "now">,
  prepared: PreparedValidation,
  show: (value: ChangeValidation) => void,
  signal: AbortSignal,
): Promise<void> {
  const { host, base, ended } = prepared;
  let shown = prepared.first;
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
      base === null || host.config.backpressure.preflight === "off"
        ? null
        : (
            await lookAtBase(host, {
              ...{ commit: base, given: null, usesKept: true, environment: {}, signal: ended.signal },
              show: (activity) => move({ activity: `before the change: ${activity}` }),
              mayRun: () => Promise.resolve(),
            })
          ).look;
    const outcome = await judgeCommit(prepared, look, {
      gate: () => (check(shown.limit, shown.spent).kind === "exhausted" ? "budget" : null),
      spend: (spent) => move({ spent: addSpent(shown.spent, spent) }),
      show: (activity) => move({ activity }),
      voted: (validation) => move({ validation }),
    });
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
