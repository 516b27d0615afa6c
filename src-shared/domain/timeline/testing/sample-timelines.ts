/** Timelines of made-up runs: journals as a run writes them, put through the reducer. The same every time. */

import type { RunEvent } from "../../../run/events.ts";
import { replayRun } from "../../../run/reduce.ts";
import { newRun, type RunState } from "../../../run/state.ts";
import { aPlan, aTask, phases } from "../../../testing/kit.ts";
import { rootOrchestrator } from "../../change-metadata/address.ts";
import type { MergeRequestRules } from "../../merge-request/merge-request.ts";
import type { Plan, PlannedTask } from "../../plan/plan.ts";
import type { RunTimeline } from "../timeline.ts";
import { type TimelineParts, timelineOf } from "../timeline-of.ts";

interface SampleEvent {
  readonly at: number;
  readonly event: RunEvent;
}

export interface SampleRun {
  readonly run: string;
  readonly startedAt: number;
  readonly events: readonly SampleEvent[];
  readonly parts: TimelineParts;
}

const sampleStart = Date.UTC(2026, 2, 1, 9);
const minute = 60_000;
const rules: MergeRequestRules = { review: "parent", firstReviewer: false, maxRounds: 3 };
const titles = [
  "Read users from the database",
  "Answer GET /users",
  "Keep sessions in a cookie",
  "Show who is logged in",
  "Write what was read into the log",
  "Prüfe die Eingaben des Formulars",
];

const task = (index: number, phase: number, more: Partial<PlannedTask> = {}): PlannedTask =>
  aTask(`t${index + 1}`, {
    title: `${titles[index % titles.length] ?? ""}${index < titles.length ? "" : ` ${index + 1}`}`,
    ...{ phase, files: [`src/t${index + 1}.ts`] },
    ...more,
  });

const planOf = (tasks: readonly PlannedTask[], count: number): Plan =>
  aPlan({
    ...{ goal: "Let people log in", summary: "Users, sessions and what shows them.", tasks },
    contracts: { title: "Names of users", description: "Types.", files: ["src/contracts.ts"] },
    phases: phases(...Array.from({ length: count }, (_, at) => `Phase ${at + 1}`)),
    integration: { title: "Bring it together", description: "All of it." },
  });

const passes = {
  name: "npm test",
  command: "npm test",
  speed: "fast",
  outcome: "passed",
  ms: 900,
  output: "",
};
const fails = { ...passes, outcome: "failed", output: "1 failed" };
type Check = Extract<RunEvent, { kind: "ChecksRun" }>["checks"][number];

const iteration = (worker: string, nth: number, isGreen: boolean | null, at: number): RunEvent => ({
  kind: "IterationEnded",
  worker,
  iteration: nth,
  status: "in_progress",
  checks: isGreen === null ? [] : [(isGreen ? passes : fails) as Check],
  contradicts: null,
  hasConflict: false,
  hasProgressed: true,
  stalledAfter: 3,
  at,
});

interface Sampling {
  readonly events: SampleEvent[];
  add(at: number, ...events: readonly RunEvent[]): void;
}

function sampling(): Sampling {
  const events: SampleEvent[] = [];
  return {
    events,
    add(at, ...added) {
      for (const event of added) events.push({ at: sampleStart + Math.round(at * minute), event });
    },
  };
}

/** An orchestrator from its first word to its contracts. */
function plan(
  { add }: Sampling,
  orchestrator: string,
  at: number,
  tasks: readonly PlannedTask[],
  phases: number,
): void {
  const own = planOf(tasks, phases);
  const moved = (event: Extract<RunEvent, { kind: "StageMoved" }>["event"]): RunEvent => ({
    kind: "StageMoved",
    orchestrator,
    event,
  });
  const isPart = orchestrator !== "O-A-1";
  add(
    at,
    moved({
      kind: "StartOrchestration",
      limits: { repairRounds: 2, autoAdvance: true },
      ...(isPart ? { part: true as const } : {}),
    }),
  );
  add(at + 1, { kind: "PlanProposed", orchestrator, plan: own });
  add(
    at + 2,
    { kind: "PlanApproved", orchestrator, plan: own },
    moved({
      kind: "PlanningComplete",
      tasks: tasks.map(({ id, phase, after }) => ({ task: id, phase, after })),
    }),
  );
  add(
    at + 4,
    { kind: "ContractsWritten", orchestrator, summary: "Names." },
    moved({ kind: "ContractsComplete" }),
  );
  add(at + 4, moved({ kind: "PhaseComplete", phase: 0 }));
}

/** One agent at one task: what it meets on its way goes by its number, so that all there is to draw is somewhere. */
function work(
  { add }: Sampling,
  orchestrator: string,
  of: PlannedTask,
  { nth, at, isMerged }: { readonly nth: number; readonly at: number; readonly isMerged: boolean },
): void {
  const worker = `agent-${nth}`;
  const { id, title, phase } = of;
  add(at, {
    kind: "WorkerJoined",
    worker,
    record: { name: worker, role: "agent", parent: orchestrator, task: id, title, phase },
  });
  add(at + 0.2, { kind: "WorkStarted", worker });
  const rounds = 2 + (nth % 4);
  for (let round = 1; round <= rounds; round++) {
    const then = at + round * (1.5 + (nth % 3) * 0.6);
    add(then, iteration(worker, round, nth % 7 === 6 ? null : (round + nth) % 3 !== 0, then));
    if (round === 1) meet(add, worker, nth, then);
  }
  const end = at + rounds * 3 + 1;
  if (isMerged) merge(add, worker, nth, end);
  if (isMerged)
    add(end + 1.5, { kind: "StageMoved", orchestrator, event: { kind: "TaskComplete", task: id } });
}

function meet(add: Sampling["add"], worker: string, nth: number, at: number): void {
  switch (nth % 8) {
    case 1:
      add(at + 0.2, {
        kind: "QuestionAsked",
        question: { id: `q${nth}`, from: worker, question: "In cm?", options: [], blocking: true },
      });
      add(
        at + 1.2,
        { kind: "QuestionAnswered", id: `q${nth}`, answer: "Yes." },
        { kind: "AnswerReceived", worker },
      );
      return;
    case 2:
      add(at + 0.3, { kind: "MergeConflictFound", worker, cause: null });
      add(at + 1.4, { kind: "MergeConflictResolved", worker });
      return;
    case 3:
      add(at + 0.4, { kind: "WorkerPaused", worker });
      add(at + 1, { kind: "WorkerResumed", worker });
      return;
    case 4:
      add(at + 0.4, { kind: "TakenOver", worker, since: sampleStart, commit: "c0" });
      add(at + 1.3, { kind: "HandedBack", worker, notes: [] }, { kind: "WorkerResumed", worker });
      return;
    case 5:
      add(at + 0.5, { kind: "WorkerStuck", worker, cause: "blocked", reason: "No network." });
      add(at + 1.5, { kind: "WorkerUnstuck", worker, helped: 1 });
      return;
    default:
  }
}

function merge(add: Sampling["add"], worker: string, nth: number, at: number): void {
  const step = (
    event: Extract<RunEvent, { kind: "MergeRequestAdvanced" }>["event"],
    checks: readonly Check[] | null = null,
  ): RunEvent => ({ kind: "MergeRequestAdvanced", worker, event, rules, checks });
  const review = (round: number, verdict: "approved" | "changes"): RunEvent =>
    step({ kind: "Reviewed", review: { round, by: "parent", verdict, words: "Shorter." } });
  const checked = (round: number): RunEvent =>
    step({ kind: "Checked", round, checks: [passes as Check] }, [passes as Check]);
  let round = 1;
  add(at, step({ kind: "Offered", commit: `c${nth}`, summary: "Done." }), checked(round));
  if (nth % 5 === 0) {
    add(at + 0.3, review(round, "changes"));
    round++;
    add(at + 0.7, step({ kind: "Offered", commit: `d${nth}`, summary: "Shorter." }), checked(round));
  }
  add(at + 1, review(round, "approved"));
  add(at + 1.4, step({ kind: "Merged", round, place: "trunk" }));
}

const join = (name: string, parent: string, of: PlannedTask): RunEvent => ({
  kind: "WorkerJoined",
  worker: name,
  record: { name, role: "orchestrator", parent, task: of.id, title: of.title, phase: of.phase },
});

/** With a decision that was applied, and one that waits. */
function partsOf(workers: readonly string[], { add }: Sampling, at: number): TimelineParts {
  const time = (minutes: number): number => sampleStart + Math.round(minutes * minute);
  const [first = "agent-1", second = first, third = second] = workers;
  add(at + 2, {
    kind: "DecisionApplied",
    proposal: null,
    decision: {
      orchestrator: "O-A-1",
      changeId: "kdecision",
      title: "Ids are strings",
      reason: "They come from elsewhere.",
      files: ["src/contracts.ts"],
      contradicted: [second],
    },
  });
  add(at + 2, { kind: "ContradictionFound", worker: second, decision: "kdecision" });
  add(at + 4, { kind: "MessagesHandled", worker: second, messages: ["kinfo"] });
  return {
    awaited: [{ worker: third, at: time(at + 5), answeredAt: null, waits: "at-once" }],
    asked: [
      {
        id: "card/q1",
        from: first,
        text: "Which unit?",
        at: time(at),
        answeredAt: time(at + 1),
        answer: "cm",
      },
      {
        ...{ id: "card/q2", from: third, at: time(at + 5), answeredAt: null, answer: null },
        text: "May the table of users be dropped and made anew, or must what stands in it be kept?",
      },
    ],
    proposed: [
      {
        ...{ card: "card/d1", orchestrator: "O-A-1", title: "Ids are strings", at: time(at + 1) },
        ...{ answeredAt: time(at + 2), isApproved: true, binds: workers, conflicts: [second] },
      },
      {
        ...{
          card: "card/d2",
          orchestrator: "O-A-1",
          title: "Amounts are integers in cents",
          at: time(at + 5),
        },
        ...{ answeredAt: null, isApproved: false, binds: workers, conflicts: [third] },
      },
    ],
    written: [
      {
        ...{ changeId: "kask", from: first, to: "O-A-1", type: "align-request", text: "In cm?" },
        ...{ at: time(at), handled: true },
      },
      {
        ...{ changeId: "kreply", from: "O-A-1", to: `O-A-1/${first}`, type: "info", text: "Yes, in cm." },
        ...{ at: time(at + 1.2), handled: false, replyTo: "kask" },
      },
      {
        ...{ changeId: "kinfo", from: "user", to: `O-A-1/${second}`, type: "info", text: "Mind the tests." },
        ...{ at: time(at + 3), handled: true },
      },
    ],
  };
}

/**
 * A run of one orchestrator with so many tasks: the first phase is merged, in the second they are at work, and where there
 * are many the last of them have not begun.
 */
export function sampleRun(lanes: number): SampleRun {
  const phases = lanes <= 3 ? 1 : lanes <= 16 ? 2 : 3;
  const tasks = Array.from({ length: lanes }, (_, index) =>
    task(index, 1 + Math.floor((index * phases) / lanes)),
  );
  const into = sampling();
  plan(into, "O-A-1", 0, tasks, phases);
  const begun = tasks.filter(({ phase }) => phase < 3);
  for (const [index, one] of begun.entries())
    work(into, "O-A-1", one, {
      nth: index + 1,
      at: 4.5 + (one.phase - 1) * 19 + (index % 6) * 0.3,
      isMerged: one.phase < phases && one.phase === 1,
    });
  if (phases > 1)
    into.add(23, { kind: "StageMoved", orchestrator: "O-A-1", event: { kind: "PhaseComplete", phase: 1 } });
  const last = begun.map(({ phase }, index) => ({ phase, name: `agent-${index + 1}` }));
  const atWork = last.filter(({ phase }) => phase === Math.min(2, phases)).map(({ name }) => name);
  const parts = partsOf(atWork, into, phases > 1 ? 26 : 8);
  into.add(15, { kind: "StageMoved", orchestrator: "O-A-1", event: { kind: "Pause" } });
  into.add(16.5, { kind: "StageMoved", orchestrator: "O-A-1", event: { kind: "Resume" } });
  return finished(`sample-${lanes}`, into, parts);
}

/** A run whose two tasks are parts: an orchestrator of its own each, with so many tasks below it, and one task beside them. */
export function sampleRunOfParts(lanesEach: number): SampleRun {
  const parts = [
    task(0, 1, { title: "Users", delegate: true }),
    task(1, 1, { title: "Shop", delegate: true }),
  ];
  const into = sampling();
  plan(into, "O-A-1", 0, [...parts, task(2, 1)], 1);
  let nth = 1;
  const workers: string[] = [];
  for (const [index, part] of parts.entries()) {
    const name = `O-B-${index + 1}`;
    into.add(5, join(name, "O-A-1", part));
    const own = Array.from({ length: lanesEach }, (_, at) => task(at, 1));
    plan(into, name, 5 + index, own, 1);
    for (const [at, one] of own.entries()) {
      work(into, name, one, { nth, at: 10 + index + at * 0.3, isMerged: at % 2 === 0 });
      workers.push(`agent-${nth++}`);
    }
  }
  work(into, "O-A-1", task(2, 1), { nth, at: 5, isMerged: true });
  return finished(`sample-parts-${lanesEach}`, into, partsOf(workers, into, 14));
}

const finished = (run: string, { events }: Sampling, parts: TimelineParts): SampleRun => ({
  run,
  startedAt: sampleStart,
  events: events.toSorted((one, other) => one.at - other.at),
  parts,
});

/** What a run's first events came to; all of them without a number. */
export const sampleState = ({ run, startedAt, events }: SampleRun, count = events.length): RunState =>
  replayRun(newRun(run, startedAt, rootOrchestrator), events.slice(0, count));

const timelineOfSample = (sample: SampleRun): RunTimeline =>
  timelineOf(sampleState(sample).timeline, sample.parts);

/** At 3, 16 and 50 lanes, and in two parts. */
export const sampleTimelines = {
  three: timelineOfSample(sampleRun(3)),
  sixteen: timelineOfSample(sampleRun(16)),
  fifty: timelineOfSample(sampleRun(50)),
  twoParts: timelineOfSample(sampleRunOfParts(4)),
};
