/** What a calibration would do, before anybody pays. */
import type { CommandInput } from "#shared/contract/commands.ts";
import type { CalibrationForecast } from "#shared/contract/views/calibration.ts";
import { nothingSpent, noUsage } from "#shared/domain/spending/usage.ts";
import { figuresOf } from "#shared/domain/validation/calibration.ts";
import type { Panel } from "#shared/domain/validation/panel.ts";
import { differencesOf } from "#shared/domain/validation/panel-trust.ts";
import type { Change } from "#shared/graph/change.ts";
import type { Config } from "../../../config/config-interface.ts";
import type { Journal } from "../../../journal/journal.ts";
import type { KeptCalibration } from "../../../journal/judgements.ts";
import { priceOf } from "../../../model/price.ts";
import { EngineRefusal } from "../../engine-errors.ts";
import { chooseRunBase } from "../../graph-sync/run-base.ts";
import type { CommandScope } from "../../kernel/commands.ts";
import type { Run } from "../../ports.ts";
import { patternStoreOf } from "../../run/pattern-store-of.ts";
import { configuredLimits, startLimits } from "../../start-limits.ts";
import { longestDiff } from "./judge-commit.ts";
import { judgingConfig } from "./judge-host.ts";
import { goalOf, judgeable, titleOf } from "./one-change.ts";
import { makeupOf, panelNow } from "./panel-now.ts";
import { type ChosenSamples, chooseSamples } from "./samples.ts";
import { type SeatContext, seatContext } from "./seat-context.ts";

export interface PreparedCalibration {
  readonly judging: { readonly config: Config; readonly model: string };
  readonly panel: Panel;
  readonly goal: string;
  readonly diff: string;
  readonly chosen: ChosenSamples;
  /** Told to the seats with samples of the commit, as it is to seats that judge in earnest. */
  readonly context: Pick<SeatContext, "instructions" | "learned">;
  readonly builtInKinds: CalibrationForecast["builtIn"];
  /** With what an earlier attempt has judged. */
  readonly first: KeptCalibration;
}

/** @throws EngineRefusal where there is no commit to plant into */
export async function prepareCalibration(
  scope: CommandScope<Run>,
  input: CommandInput<"calibration.begin">,
): Promise<PreparedCalibration> {
  const { repository } = scope;
  const change =
    input.change === null ? await defaultChange(scope) : await judgeable(repository, input.change);
  const diff = await repository.diff({ commit: change.commitId, limit: longestDiff });
  if (diff.trim() === "")
    throw new EngineRefusal(
      `${titleOf(change)} changes no file: nothing can be planted into it.`,
      "Name a good commit with files by --change.",
    );
  const judging = await judgingConfig(scope);
  const goal = goalOf(change) || titleOf(change);
  const context = await seatContext(
    { repository, patterns: patternStoreOf(scope), config: judging.config },
    { ground: change.parents, diff, goal },
    new AbortController().signal,
  );
  // The decisions of samples are told to all seats; a run without decisions has the same panel.
  const panel = panelNow(judging, false);
  const chosen = await chooseSamples(repository, {
    ...{ commit: change.commitId, diff, perKind: input.perKind },
    signal: new AbortController().signal,
  });
  const makeup = makeupOf(panel, judging.model);
  const limit = startLimits(input, configuredLimits(judging.config, scope.settings()));
  const fresh: KeptCalibration = {
    id: scope.newId(),
    changeId: change.changeId,
    commitId: change.commitId,
    title: titleOf(change),
    panel: makeup,
    at: scope.now(),
    measuredAt: null,
    samples: chosen.samples.map(({ told }) => told),
    figures: figuresOf(
      makeup.seats.map(({ seat }) => seat),
      [],
    ),
    activity: "",
    spent: nothingSpent,
    limit,
    end: null,
    perKind: input.perKind,
  };
  const left = leftOpen(scope.journal, fresh);
  return {
    judging,
    panel,
    goal,
    diff,
    chosen,
    context,
    builtInKinds: chosen.builtIn,
    first: left === null ? fresh : { ...left, limit, end: null, activity: "" },
  };
}

/** What a run would be built on holds what the person keeps, so that it is as good as it gets. */
async function defaultChange({ repository }: Pick<CommandScope<Run>, "repository">): Promise<Change> {
  const { change } = await chooseRunBase(repository, null);
  return judgeable(repository, change.commitId);
}

/** One that was cut off, of the same commit and panel, and with the same mistakes in the same places. */
function leftOpen(journal: Journal, fresh: KeptCalibration): KeptCalibration | null {
  const [last] = journal.calibrations();
  if (last === undefined || last.measuredAt !== null) return null;
  const isSame =
    last.commitId === fresh.commitId &&
    last.perKind === fresh.perKind &&
    differencesOf(last.panel, fresh.panel).length === 0 &&
    last.samples.length === fresh.samples.length &&
    last.samples.every(
      ({ planted, place, what }, at) =>
        fresh.samples[at]?.planted === planted &&
        fresh.samples[at]?.place === place &&
        fresh.samples[at]?.what === what,
    );
  return isSame ? last : null;
}

export function forecastOf(
  journal: Journal,
  { first, builtInKinds, diff }: PreparedCalibration,
): CalibrationForecast {
  const open = first.samples.filter(({ judged }) => judged === null);
  const votes = open.length * first.panel.seats.length;
  const paid = paidVotes(journal, first);
  const each =
    paid.votes === 0
      ? first.panel.seats.reduce((sum, { model }) => sum + guessedPrice(model, diff.length), 0) /
        Math.max(1, first.panel.seats.length)
      : paid.microDollars / paid.votes;
  return {
    changeId: first.changeId,
    commitId: first.commitId,
    title: first.title,
    panel: first.panel,
    planted: first.samples.filter(({ planted }) => planted !== null).length,
    controls: first.samples.filter(({ planted }) => planted === null).length,
    builtIn: builtInKinds,
    judged: first.samples.length - open.length,
    votes,
    microDollars: Math.round(each * votes),
    paidVotes: paid.votes,
    limit: first.limit,
  };
}

/** What votes have cost here that the same models gave without a run. */
function paidVotes(
  journal: Journal,
  { panel }: Pick<KeptCalibration, "panel">,
): { readonly votes: number; readonly microDollars: number } {
  const models = (of: KeptCalibration["panel"]): string =>
    [...new Set(of.seats.map(({ model }) => model))].sort().join();
  const paid = [
    ...journal
      .validations()
      .filter((one) => models(one.panel) === models(panel))
      .map(({ spent, validation }) => ({
        spent,
        votes: validation?.seats.filter(({ vote }) => vote !== "pending").length ?? 0,
      })),
    ...journal
      .calibrations()
      .filter((one) => models(one.panel) === models(panel))
      .map(({ spent, samples }) => ({
        spent,
        votes: samples.reduce((sum, { judged }) => sum + Object.keys(judged?.votes ?? {}).length, 0),
      })),
  ].filter(({ votes }) => votes > 0);
  return {
    votes: paid.reduce((sum, { votes }) => sum + votes, 0),
    microDollars: paid.reduce((sum, { spent }) => sum + spent.microDollars, 0),
  };
}

/** As far as nobody has paid for one: a judge who looks around a little, and reads what it was told again each time. */
const guess = {
  turns: 8,
  systemTokens: 3_000,
  resultTokens: 1_500,
  answerTokens: 300,
  mostDiff: 120_000,
  perToken: 3.5,
};

function guessedPrice(model: string, diffLength: number): number {
  const shown = guess.systemTokens + Math.min(diffLength, guess.mostDiff) / guess.perToken;
  const grown = guess.turns * (guess.resultTokens + guess.answerTokens);
  return priceOf(
    {
      ...noUsage,
      cacheWrite5m: Math.round(shown + grown),
      cacheRead: Math.round((guess.turns - 1) * (shown + grown / 2)),
      output: guess.turns * guess.answerTokens,
    },
    model,
  );
}
