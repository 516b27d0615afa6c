/** `hox validate --calibrate`: a panel judges commits of which it is known whether they are good. */
import type { CalibrationSample, CalibrationView } from "#shared/contract/views/calibration.ts";
import type { JudgingEnd } from "#shared/contract/views/change-validation.ts";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { builtInSample } from "#shared/domain/planting/built-in-sample.ts";
import type { FirstLook } from "#shared/domain/project/first-look.ts";
import { check } from "#shared/domain/spending/budget.ts";
import { addSpent } from "#shared/domain/spending/usage.ts";
import { counted } from "#shared/domain/text/counted.ts";
import { figuresOf, type JudgedSample } from "#shared/domain/validation/calibration.ts";
import type { KeptCalibration } from "../../../journal/judgements.ts";
import type { ValidationOutcome } from "../../../validation/validation-interface.ts";
import { explain } from "../../engine-errors.ts";
import type { CommandScope } from "../../kernel/commands.ts";
import type { Run } from "../../ports.ts";
import { lookAtBase } from "../../project/look-at-base.ts";
import { judgeCommit, longestDiff } from "./judge-commit.ts";
import { closeJudgeHost, type JudgeHost, openJudgeHost } from "./judge-host.ts";
import type { PreparedCalibration } from "./prepare-calibration.ts";
import { type PlantedCommit, plantSamples } from "./samples.ts";

/** Commits that are judged side by side, each by a whole panel. */
const sideBySide = 3;

export interface BegunCalibration extends PreparedCalibration {
  readonly host: JudgeHost;
  readonly ended: AbortController;
}

/** @throws EngineRefusal or the driver's refusal, before anything is paid */
export async function beginCalibration(
  scope: CommandScope<Run>,
  prepared: PreparedCalibration,
): Promise<BegunCalibration> {
  const ended = new AbortController();
  const models = prepared.first.panel.seats.map(({ model }) => model);
  return { ...prepared, ended, host: await openJudgeHost(scope, prepared.judging, models, ended) };
}

/** What is being judged, and how it moves on. */
interface Course extends BegunCalibration {
  readonly state: () => KeptCalibration;
  readonly move: (patch: Partial<KeptCalibration>) => void;
  readonly look: FirstLook | null;
  /** Of the good commit, once they ran: its copies hold the same files. */
  goodChecks: Promise<readonly CheckResult[]> | null;
}

/** Judges what is not judged yet, and keeps each as it comes. Never rejects. */
export async function calibrate(
  { journal, now }: Pick<CommandScope<Run>, "journal" | "now">,
  begun: BegunCalibration,
  show: (value: CalibrationView) => void,
  signal: AbortSignal,
): Promise<void> {
  const { host, ended } = begun;
  let kept = begun.first;
  const move = (patch: Partial<KeptCalibration>): void => {
    kept = { ...kept, ...patch };
    journal.setCalibration(kept);
    show(kept);
  };
  const abort = (): void => ended.abort();
  signal.addEventListener("abort", abort, { once: true });
  let end: JudgingEnd;
  try {
    move({ activity: "the good commit is checked" });
    const look =
      host.config.backpressure.firstLook === "off"
        ? null
        : (
            await lookAtBase(host, {
              ...{
                commit: kept.commitId,
                given: null,
                usesKept: true,
                environment: {},
                signal: ended.signal,
              },
              show: (activity) => move({ activity }),
              mayRun: () => Promise.resolve(),
            })
          ).look;
    const stopped = await judgeAll({ ...begun, state: () => kept, move, look, goodChecks: null });
    end = stopped === null ? { kind: "done" } : { kind: stopped };
  } catch (error) {
    end = signal.aborted ? { kind: "cancelled" } : { kind: "failed", ...explain(error) };
  } finally {
    signal.removeEventListener("abort", abort);
  }
  ended.abort();
  await closeJudgeHost(host);
  move({ end, activity: "", measuredAt: end.kind === "done" ? now() : null });
}

/** @returns why it stopped before all were judged; null: it did not */
async function judgeAll(course: Course): Promise<"budget" | "cancelled" | null> {
  const open = course.state().samples.flatMap(({ judged }, at) => (judged === null ? [at] : []));
  course.move({ activity: `${counted(open.length, "commit")} are made, which never stand on the graph` });
  const chosen = open.flatMap((at) => course.chosen.samples[at] ?? []);
  const commits = await plantSamples(course.host.repository, course.first.commitId, chosen);
  const queue = open.map((at, index) => ({ at, commit: commits[index] }));
  let stopped: "budget" | "cancelled" | null = null;
  const judgeNext = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined && stopped === null; next = queue.shift()) {
      if (next.commit === undefined) continue;
      stopped ??= await judgeOne(course, next.at, next.commit);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: sideBySide }, judgeNext));
  for (const one of ends) if (one.status === "rejected") throw one.reason;
  return stopped;
}

async function judgeOne(
  course: Course,
  at: number,
  { commit, from }: PlantedCommit,
): Promise<"budget" | "cancelled" | null> {
  const { state, move, ended, panel, chosen } = course;
  const told = state().samples[at];
  if (told === undefined) return null;
  if (ended.signal.aborted) return "cancelled";
  if (check(state().limit, state().spent).kind === "exhausted") return "budget";
  const checks = await knownChecks(course, told);
  const host = told.isBuiltIn ? withoutSetUp(course.host) : course.host;
  const diff = await host.repository.diff({
    ...{ commit, limit: longestDiff },
    ...(from === null ? {} : { from }),
  });
  const outcome = await judgeCommit(
    host,
    {
      ...{ commit, diff, panel, look: course.look, checks },
      goal: told.isBuiltIn ? builtInSample.description : course.goal,
      decisions: chosen.decisions[told.isBuiltIn ? "builtIn" : "own"],
      ...(told.isBuiltIn ? {} : course.context),
      // It stands in the prompt, and says nothing of what this is.
      ballot: host.id.slice(-12),
    },
    {
      signal: ended.signal,
      gate: () => (check(state().limit, state().spent).kind === "exhausted" ? "budget" : null),
      spend: (spent) => move({ spent: addSpent(state().spent, spent) }),
      show: () => undefined,
      voted: () => undefined,
    },
  );
  if (outcome.stopped !== null) return outcome.stopped === "budget" ? "budget" : "cancelled";
  keep(course, at, judgedBy(outcome));
  return null;
}

/** What needs no run of its own; null: they run. The sample that comes with Hox has no checks of the person's project. */
async function knownChecks(
  course: Course,
  { planted, isBuiltIn }: CalibrationSample,
): Promise<readonly CheckResult[] | null> {
  if (isBuiltIn) return [];
  if (planted !== null) return null;
  if (course.look === null) return null;
  course.goodChecks ??= Promise.resolve(
    course.look.checks
      .filter(({ outcome }) => outcome !== "missing")
      .map(({ name, command, speed, outcome, ms, output }) => ({
        ...{ name, command, speed, ms, output },
        // It is what the others are held against: nothing that is red there is new.
        outcome: outcome === "passed" ? ("passed" as const) : ("known-failure" as const),
      })),
  );
  return course.goodChecks;
}

const withoutSetUp = (host: JudgeHost): JudgeHost => ({
  ...host,
  config: { ...host.config, workspace: { ...host.config.workspace, setup: [], caches: [] } },
});

function keep({ state, move, first }: Course, at: number, judged: CalibrationSample["judged"]): void {
  const samples = state().samples.map((sample, place) => (place === at ? { ...sample, judged } : sample));
  const done: readonly JudgedSample[] = samples.flatMap((sample) =>
    sample.judged === null ? [] : [{ planted: sample.planted, ...sample.judged }],
  );
  const seats = first.panel.seats.map(({ seat }) => seat);
  const activity = `${done.length} of ${samples.length} commits are judged`;
  move({ samples, figures: figuresOf(seats, done), activity });
}

function judgedBy({ view }: ValidationOutcome): CalibrationSample["judged"] {
  const { verdict } = view;
  // Nothing is left open where nothing was stopped.
  const ended = verdict === "open" ? "undecided" : verdict;
  return {
    verdict: ended,
    votes:
      ended === "vetoed"
        ? {}
        : Object.fromEntries(
            view.seats.flatMap(({ seat, vote }) => (vote === "pending" ? [] : [[seat, vote] as const])),
          ),
  };
}
