/** What orchestrators, agents and judges do alike in every rehearsal; the words and files are each one's own. */
import type { Plan } from "#shared/domain/plan/plan.ts";
import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import type { Scene, Seen, Step } from "../model/stand-in/script.ts";
import { call, follow, type Knowledge, look, run, runFresh, type Wish, write } from "./reading.ts";

const tests = "node --test";

type Files = Readonly<Record<string, string>>;

/** Writes missing files; after a restart existing ones are read first. */
const puts =
  (say: string, files: (know: Knowledge) => Files): Wish =>
  (know) => {
    const left = Object.entries(files(know)).filter(([path, text]) => know.files.get(path) !== text);
    return left.length === 0 ? null : { say, calls: left.map(([path, text]) => write(path, text)) };
  };

/** Writes what differs, then runs the tests, then is done. */
export const writesAndTests = (
  say: string,
  files: (know: Knowledge) => Files,
  summary: (know: Knowledge) => string,
): readonly Wish[] => [
  puts(say, files),
  runFresh("And whether it holds.", [tests]),
  (know) =>
    know.runs.get(tests)?.isError === true
      ? { say: "A test fails; I end the round here, so that the next one begins with what it says." }
      : { calls: [call("report_done", { summary: summary(know) })] },
];

const writesFiles =
  (event: string, begin: string) =>
  (title: string, files: Files, reads: readonly string[], say: string, summary: string): Scene => ({
    name: title,
    prompt: `${event} ${title}`,
    steps: follow(
      look(begin, reads, Object.keys(files)),
      ...writesAndTests(
        say,
        () => files,
        () => summary,
      ),
    ),
  });

/** An agent whose task is a few files, without questions. */
export const member = writesFiles("[TASK]", "I read what I build on.");

/** The integrator of a plan. */
export const together = writesFiles("[INTEGRATE]", "I read the parts that come together.");

/** An orchestrator that writes what its agents share. @param also what it does before it is done */
export const writesContracts = (
  reads: readonly string[],
  say: string,
  files: Files,
  summary: string,
  also: readonly Wish[] = [],
): Scene => ({
  name: "contracts",
  prompt: "[EVENT contracts]",
  steps: follow(
    look("What is here already?", reads, Object.keys(files)),
    puts(say, () => files),
    ...also,
    () => ({ calls: [call("report_done", { summary })] }),
  ),
});

/** Looks, runs the tests in its checkout, and votes as they say. */
export const judge = (
  reads: readonly string[],
  readsIfThere: readonly string[],
  approval: string,
): Scene => ({
  name: "judges",
  prompt: "[VALIDATE]",
  steps: follow(
    look("I look at what came together.", reads, readsIfThere),
    ({ runs }) => (runs.has(tests) ? null : { say: "And run it.", calls: [run(tests)] }),
    ({ seen, runs }): Step => {
      const passes = runs.get(tests)?.isError === false;
      return {
        calls: [
          call("cast_vote", {
            vote: passes ? "approve" : "reject",
            commit: /^Commit: ([0-9a-f]+)$/mu.exec(seen.prompt)?.[1] ?? "",
            reason: passes ? approval : "The tests fail in a fresh checkout.",
          }),
        ],
      };
    },
  ),
});

export const acceptsWork = (say: string): Scene => ({
  name: "accepts finished work",
  prompt: "[EVENT merge request ready]",
  steps: [{ say, calls: [call("approve_merge_request", { comment: "As planned." })] }],
  optional: true,
});

/** Overlaps of unfinished work settle in the merge. */
export const letsBothContinue: Scene = {
  name: "lets both continue",
  prompt: "[EVENT conflict forecast]",
  steps: [
    {
      say: "Both know of it, and the lines are few.",
      calls: [call("report_done", { summary: "Both continue." })],
    },
  ],
  optional: true,
};

/** The one plan that its script knows; asked again, it says so. */
export const plans = (reads: readonly string[], defaultGoal: string, say: string, plan: Plan): Scene => ({
  name: "plan",
  prompt: /^\[EVENT plan(?: changed)?\]/u,
  steps: follow(look("I read the project before I cut it up.", reads), ({ seen }) => {
    const isAgain = seen.prompt.startsWith("[EVENT plan changed]");
    const remark = isAgain ? ` (${sectionOf(seen.prompt, "Why the last plan was not accepted")})` : "";
    return {
      say: isAgain
        ? "This is a rehearsal, and its script knows this one plan. Edit it as you like before you approve it."
        : say,
      calls: [
        call("propose_plan", {
          ...plan,
          goal: sectionOf(seen.prompt, "Goal") || defaultGoal,
          summary: `${plan.summary}${remark}`,
        }),
      ],
    };
  }),
});

/** What no agent may decide goes to the user. */
export const asksUser = (
  say: string,
  options: readonly string[],
  worded: (question: string) => string = (question) => question,
): Scene => ({
  name: "a question from below",
  prompt: "[EVENT align-request]",
  steps: [
    (seen): Step => ({
      say,
      calls: [call("ask_user", { question: worded(sectionOf(seen.prompt, "Question")), options })],
    }),
  ],
});

const asker = (seen: Seen): string => /question of (\S+)\./u.exec(seen.prompt)?.[1] ?? "";

export const passesAnswerOn = (say: string): Scene => ({
  name: "the user's answer",
  prompt: "[EVENT user answered]",
  steps: [
    (seen): Step => ({
      say,
      calls: [
        call("answer_agent", {
          agent: asker(seen),
          answer: `The user says: ${sectionOf(seen.prompt, "Answer of the user")}`,
        }),
      ],
    }),
  ],
});

/** A child orchestrator passes its parent's answer on to its agent. */
export const passesAnswerDown = (above: string): Scene => ({
  name: "the answer from above",
  prompt: "[EVENT escalation answered]",
  steps: [
    (seen): Step => ({
      calls: [
        call("answer_agent", { agent: asker(seen), answer: sectionOf(seen.prompt, `Answer of ${above}`) }),
      ],
    }),
  ],
});

export const learnsNothing = (say: string): Scene => ({
  name: "learn",
  prompt: "[EVENT learn]",
  steps: [{ say, calls: [call("report_done", { summary: "Nothing that a later run would not know." })] }],
});
