/** How the orchestrator of the rehearsal `receipts` plans and answers. */
import type { Plan } from "#shared/domain/plan/plan.ts";
import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import type { Scene, Step } from "../model/stand-in/script.ts";
import { call, follow, look, type Wish, write } from "./reading.ts";
import { contract, intent, paths } from "./receipts-sources.ts";

const planOf = (goal: string, remark: string): Plan => ({
  goal,
  summary: `The currency stands in one place; one agent puts it into whatever is printed, another one sums up the day meanwhile.${remark}`,
  orchestrators: { count: 1, reason: "Two tasks that share one line fit into one head." },
  contracts: {
    title: "The currency",
    description: "Code and sign of the one currency, and a note of what is left out.",
    files: [paths.contract, paths.intent],
  },
  phases: [{ number: 1, title: "Amounts and takings" }],
  tasks: [
    {
      id: "amounts",
      title: "Write amounts with their currency",
      description: `amount(cents) in ${paths.money} says the currency of ${paths.contract}. Whatever writes an amount by itself uses it. Whether code or sign, before or after the number, is seen by customers: ask.`,
      phase: 1,
      priority: "high",
      files: [paths.money, paths.label, paths.poster, paths.moneyTest],
      after: [],
    },
    {
      id: "takings",
      title: "Sum up the day",
      description: `takings(receipts) in ${paths.day} is what was taken on a day, in whole cents.`,
      phase: 1,
      priority: "medium",
      files: [paths.day, paths.dayTest],
      after: [],
    },
  ],
  integration: {
    title: "Print the roll of a day",
    description: `roll(receipts) in ${paths.print}: every receipt, then the takings with their currency, with a test.`,
  },
  budget: { tokens: 2_000_000, microDollars: 5_000_000 },
});

/** Writes what is not there yet; after a restart what is there is read before it is written again. */
const puts =
  (say: string, files: Readonly<Record<string, string>>): Wish =>
  (know) => {
    const left = Object.entries(files).filter(([path, text]) => know.files.get(path) !== text);
    return left.length === 0 ? null : { say, calls: left.map(([path, text]) => write(path, text)) };
  };

export const orchestratorScenes: readonly Scene[] = [
  {
    name: "accepts finished work",
    prompt: "[EVENT fold ready]",
    steps: [
      {
        say: "Inside the task, with its test, and the checks pass on it.",
        calls: [call("approve_fold", { comment: "As planned." })],
      },
    ],
    optional: true,
  },
  {
    name: "plan",
    prompt: /^\[EVENT plan(?: changed)?\]/u,
    steps: follow(
      look("I read the project before I cut it up.", ["README.md", paths.money, "src/receipt.js"]),
      ({ seen }) => {
        const goal = sectionOf(seen.prompt, "Goal") || "Write every amount with its currency";
        const isAgain = seen.prompt.startsWith("[EVENT plan changed]");
        return {
          say: isAgain
            ? "This is a rehearsal, and its script knows this one plan. Edit it as you like before you approve it."
            : "One line that all share, and two tasks with files of their own.",
          calls: [
            call("propose_plan", {
              ...planOf(
                goal,
                isAgain ? ` (${sectionOf(seen.prompt, "Why the last plan was not accepted")})` : "",
              ),
            }),
          ],
        };
      },
    ),
  },
  {
    name: "contracts",
    prompt: "[EVENT contracts]",
    steps: follow(
      look("What stands here already?", [paths.money], [paths.contract, paths.intent]),
      puts("One currency, and a note of what the goal wants.", {
        [paths.contract]: contract,
        [paths.intent]: intent,
      }),
      () => ({
        calls: [call("report_done", { summary: "Code and sign of the currency stand in one place." })],
      }),
    ),
  },
  {
    name: "a question from below",
    prompt: "[EVENT align-request]",
    steps: [
      (seen): Step => ({
        say: "Customers see it, and neither goal nor repository says it: that is for the user.",
        calls: [
          call("ask_user", {
            question: sectionOf(seen.prompt, "Question"),
            options: ["2.80 EUR", "€ 2.80"],
          }),
        ],
      }),
    ],
  },
  {
    name: "the user's answer",
    prompt: "[EVENT user answered]",
    steps: [
      (seen): Step => ({
        say: "One task needs it, so it is an answer and no decision for all.",
        calls: [
          call("answer_agent", {
            agent: /question of (\S+)\./u.exec(seen.prompt)?.[1] ?? "",
            answer: `The user says: ${sectionOf(seen.prompt, "Answer of the user")}`,
          }),
        ],
      }),
    ],
  },
  {
    name: "learn",
    prompt: "[EVENT learn]",
    steps: [
      {
        say: "Two tasks around one shared line went side by side. That is known already.",
        calls: [call("report_done", { summary: "Nothing that a later run would not know." })],
      },
    ],
  },
];
