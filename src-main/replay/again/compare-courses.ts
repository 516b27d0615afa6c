/** Where a run that was done again differs from its recording. */
import { startOf } from "#shared/domain/text/cut-text.ts";
import type { JournalledEvent } from "../../engine/model/run-events.ts";
import type { RecordedWork, Recording } from "../recording.ts";
import { replacedFile } from "./recorded-works.ts";

export interface CourseDifference {
  readonly what: "course" | "work" | "files" | "votes";
  /** A worker, an orchestrator, or what landed. */
  readonly who: string;
  readonly recorded: string;
  readonly now: string;
}

/** A run as far as two can be compared. */
export interface Course {
  readonly moments: Recording["moments"];
  readonly works: readonly RecordedWork[];
}

/** Whether one agent was before another is chance; what each came to, and in which order, is not. */
export function compareCourses(recorded: Course, now: Course): readonly CourseDifference[] {
  return [
    ...compareSteps("course", stagesOf(recorded), stagesOf(now)),
    ...compareSteps("work", workOf(recorded), workOf(now)).map((one) => withReason(one, now)),
    ...compareSteps("votes", votesOf(recorded), votesOf(now)),
    ...compareFiles(recorded.works, now.works),
  ];
}

type Steps = ReadonlyMap<string, readonly string[]>;

function stepsOf(
  { moments }: Pick<Course, "moments">,
  stepOf: (event: JournalledEvent) => readonly (readonly [who: string, step: string])[],
): Steps {
  const steps = moments.flatMap(({ event }) => stepOf(event));
  return new Map(
    [...Map.groupBy(steps, ([who]) => who)].map(([who, own]) => [who, own.map(([, step]) => step)]),
  );
}

/** Which task of a phase is done first is chance, and so is whether somebody was asked before that. */
const stagesOf = (course: Course): Steps => {
  const steps = stepsOf(course, (event) => {
    if (event.kind !== "StageMoved") return [];
    const { kind } = event.event;
    if (kind === "HumanAsked" || kind === "HumanAnswered" || kind === "Pause" || kind === "Resume") return [];
    const isOfTask = kind === "TaskComplete" || kind === "TaskAbandoned" || kind === "TaskReopened";
    return [[isOfTask ? `${event.orchestrator}, ${event.event.task}` : event.orchestrator, kind] as const];
  });
  return steps;
};

const workOf = (course: Course): Steps =>
  stepsOf(course, (event) => {
    switch (event.kind) {
      case "IterationEnded": {
        const checks = event.checks.map(({ name, outcome }) => `${name} ${outcome}`).join(", ");
        return [[event.worker, `iteration ${event.iteration}: ${checks || "no checks"}`] as const];
      }
      case "WorkOffered":
      case "WorkFinished":
      case "WorkBlocked":
      case "WorkAbandoned":
      case "ContradictionFound":
        return [[event.worker, event.kind] as const];
      case "DecisionApplied":
        return [[event.decision.orchestrator, `decided: ${event.decision.title}`] as const];
      default:
        return [];
    }
  });

/** What a check said that came to something else. */
function withReason(difference: CourseDifference, { moments }: Course): CourseDifference {
  for (const { event } of moments) {
    if (event.kind !== "IterationEnded" || event.worker !== difference.who) continue;
    if (!difference.now.startsWith(`iteration ${event.iteration}: `)) continue;
    const failed = event.checks.find(({ outcome }) => outcome === "failed");
    const said = failed?.output.trim().split("\n").at(-1);
    if (said) return { ...difference, now: `${difference.now}, it says: ${startOf(said, 200)}` };
  }
  return difference;
}

const votesOf = (course: Course): Steps =>
  stepsOf(course, (event) =>
    event.kind === "VotesCounted"
      ? [
          ["the panel", event.validation.verdict] as const,
          ...event.validation.seats.map(({ seat, vote }) => [seat, vote] as const),
        ]
      : [],
  );

/** The verdict is counted anew with each vote: only what each came to in the end is compared, step by step without repeats. */
function compareSteps(
  what: CourseDifference["what"],
  recorded: Steps,
  now: Steps,
): readonly CourseDifference[] {
  const all = [...new Set([...recorded.keys(), ...now.keys()])];
  return all.flatMap((who): readonly CourseDifference[] => {
    const [before, after] = [settled(what, recorded.get(who)), settled(what, now.get(who))];
    const place = before.findIndex((step, index) => step !== after[index]);
    const first = place >= 0 ? place : before.length < after.length ? before.length : -1;
    if (first < 0) return [];
    return [{ what, who, recorded: before[first] ?? "nothing more", now: after[first] ?? "nothing more" }];
  });
}

const settled = (what: CourseDifference["what"], steps: readonly string[] = []): readonly string[] =>
  what === "votes" ? steps.slice(-1) : steps;

function compareFiles(
  recorded: readonly RecordedWork[],
  now: readonly RecordedWork[],
): readonly CourseDifference[] {
  const [before, after] = [filesOf(recorded), filesOf(now)];
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((key) => {
    const [one, other] = [before.get(key), after.get(key)];
    if (one?.hash === other?.hash || (one?.hash === replacedFile && other)) return [];
    const { worker = "", path = "" } = one ?? other ?? {};
    return [
      {
        what: "files" as const,
        who: worker,
        recorded: one ? `${path} ${one.hash ?? "removed"}` : `${path} untouched`,
        now: other ? `${path} ${other.hash ?? "removed"}` : `${path} untouched`,
      },
    ];
  });
}

const filesOf = (works: readonly RecordedWork[]) =>
  new Map(
    works.flatMap(({ worker, files }) =>
      Object.entries(files).map(
        ([path, hash]) => [JSON.stringify([worker, path]), { worker, path, hash }] as const,
      ),
    ),
  );
