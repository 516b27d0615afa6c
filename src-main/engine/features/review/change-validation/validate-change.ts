/** `hox validate <change>`: a panel judges a change of the repository, without a run. */
import type { CommandInput } from "#shared/contract/commands.ts";
import type { ChangeValidation, JudgingEnd } from "#shared/contract/views/change-validation.ts";
import { check } from "#shared/domain/spending/budget.ts";
import { addSpent, nothingSpent } from "#shared/domain/spending/usage.ts";
import type { Panel } from "#shared/domain/validation/panel.ts";
import { trustIn } from "#shared/domain/validation/panel-trust.ts";
import { EngineRefusal, explain } from "../../../engine-errors.ts";
import type { CommandScope } from "../../../kernel/commands.ts";
import type { Run } from "../../../ports.ts";
import { lookAtBase } from "../../../project/look-at-base.ts";
import { patternStoreOf } from "../../../run/pattern-store-of.ts";
import { configuredLimits, startLimits } from "../../../start-limits.ts";
import { judgeCommit, maxDiffLength } from "./judge-commit.ts";
import { closeJudgeHost, type JudgeHost, judgingConfig, openJudgeHost } from "./judge-host.ts";
import { baseOf, goalOf, judgeable, oneChange, titleOf } from "./one-change.ts";
import { makeupOf, panelNow } from "./panel-now.ts";
import { type SeatContext, seatContext } from "./seat-context.ts";

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

/** @throws EngineRefusal where there is nothing to judge, or nobody who could */
export async function prepareValidation(
  scope: CommandScope<Run>,
  input: CommandInput<"change.validate">,
): Promise<PreparedValidation> {
  const { repository } = scope;
  const change = await judgeable(repository, input.change);
  const from = input.from === null ? null : await oneChange(repository, input.from);
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
  const parts = { repository, patterns: patternStoreOf(scope), config: judging.config };
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
