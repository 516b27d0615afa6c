import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import { defineScript, type Scene, type Seen, type Step } from "../model/stand-in/script.ts";
import {
  acceptsWork,
  asksUser,
  judge,
  learnsNothing,
  letsBothContinue,
  member,
  passesAnswerOn,
  plans,
  together,
  writesAndTests,
  writesContracts,
} from "./default-scenes.ts";
import {
  call,
  follow,
  type Knowledge,
  look,
  type Wish,
  writtenFile,
  writtenFiles,
  writtenPlan,
} from "./reading.ts";

/** Whose amounts it looks at; null where this review is about something else, or it has spoken before. */
function amountsOf(seen: Seen): string | null {
  if (seen.history.some(({ tool, isError }) => tool === "suggest_task" && !isError)) return null;
  const works = seen.prompt.split(/^## Work of /mu).slice(1);
  const found = works.find((work) => work.includes(paths.money));
  return found === undefined ? null : (/^\S+/u.exec(found)?.[0] ?? null);
}

/** What the agents of the rehearsal `receipts` write. */
const paths = {
  contract: "src/contracts/currency.js",
  intent: "docs/amounts.md",
  money: "src/money.js",
  label: "src/label.js",
  poster: "src/poster.js",
  moneyTest: "test/money.test.js",
  day: "src/day.js",
  dayTest: "test/day.test.js",
  print: "src/print.js",
  printTest: "test/print.test.js",
  refundTest: "test/refund.test.js",
} as const;

/** Where the currency is: after the number, by its code, or before it, by its sign. */
type Style = "code" | "sign";

const written = (...files: readonly string[]) => writtenFiles("receipts", files);

/** Every file of the task, by its path. */
const amountFiles = (style: Style): Readonly<Record<string, string>> => ({
  [paths.money]: writtenFile("receipts", `${style}/${paths.money}`),
  ...written(paths.label, paths.poster),
  [paths.moneyTest]: writtenFile("receipts", `${style}/${paths.moneyTest}`),
});

/** The existing style; null if there is none. */
const styleOf = (money: string | null | undefined): Style | null =>
  money?.includes("currency.code") ? "code" : money?.includes("currency.sign") ? "sign" : null;

const dayFiles = written(paths.day, paths.dayTest);
const printFiles = written(paths.print, paths.printTest);
/** Holds for either way of writing. */
const refundFiles = written(paths.refundTest);

const nothing: Step = { calls: [call("nothing_to_say", {})] };

/** What the background reviewer of the rehearsal `receipts` says: most of the time nothing. */
const reviewerScenes: readonly Scene[] = [
  {
    name: "reviews",
    prompt: "[REVIEW]",
    steps: [
      (seen) => {
        const worker = amountsOf(seen);
        return worker === null
          ? nothing
          : {
              say: "Every amount goes through one function now. Which amounts does its test try?",
              calls: [call("read_work", { worker, path: paths.moneyTest })],
            };
      },
      (seen) => {
        const worker = amountsOf(seen);
        return worker === null
          ? nothing
          : {
              say: "Only amounts above zero; a kiosk gives money back, too.",
              calls: [
                call("comment", {
                  worker,
                  path: paths.money,
                  line: 4,
                  text: "No test tries an amount below zero. A refund would show whether the minus is where a reader expects it.",
                  relation: "missing_step",
                }),
                call("suggest_task", {
                  suggestion: "Test amounts below zero",
                  context: `${paths.money} writes refunds as well, and no test says how. One small test file is enough: ${paths.refundTest}.`,
                  priority: "medium",
                  files: [paths.refundTest],
                  worker,
                }),
              ],
            };
      },
      nothing,
    ],
    optional: true,
  },
];

/** How the orchestrator of the rehearsal `receipts` plans and answers. */
const orchestratorScenes: readonly Scene[] = [
  letsBothContinue,
  acceptsWork("Inside the task, with its test, and the checks pass on it."),
  plans(
    ["README.md", paths.money, "src/receipt.js"],
    "Write every amount with its currency",
    "One line that all share, and two tasks with files of their own.",
    writtenPlan("receipts"),
  ),
  writesContracts(
    [paths.money],
    "One currency, and a note of what the goal wants.",
    written(paths.contract, paths.intent),
    "Code and sign of the currency are in one place.",
  ),
  asksUser("Customers see it, and neither goal nor repository says it: that is for the user.", [
    "2.80 EUR",
    "€ 2.80",
  ]),
  passesAnswerOn("One task needs it, so it is an answer and no decision for all."),
  learnsNothing("Two tasks around one shared line went side by side. That is known already."),
];

const searchTask =
  "Find every place that formats cents itself and not through src/money.js. Answer with path and line of each, and change nothing.";
const question = "How shall an amount be written?";

/** The style in a free-form answer. */
export const styleIn = (words: string): Style => (/€|sign|before|front/iu.test(words) ? "sign" : "code");

/** As the user answered in this iteration, or as an earlier one wrote it down; null if there is no answer. */
function styleSeen({ seen, files }: Knowledge): Style | null {
  const answer = sectionOf(seen.prompt, "Messages").split("The user says:")[1];
  return answer === undefined ? styleOf(files.get(paths.money)) : styleIn(answer);
}

/** A copy of itself searches, so that what it reads on the way does not fill this conversation. */
const searches: Wish = (know) =>
  styleSeen(know) !== null || know.seen.history.some(({ tool }) => tool === "fork_subagent")
    ? null
    : {
        say: "Which code formats amounts itself? A clone of mine knows all that I know and looks for it.",
        calls: [call("fork_subagent", { agent: "", task: searchTask })],
      };

const asks: Wish = (know) =>
  styleSeen(know) !== null
    ? null
    : {
        say: "Both ways are used in shops. Customers will see it, so I ask.",
        calls: [call("align_request", { question, options: ["2.80 EUR", "€ 2.80"], blocking: true })],
      };

const looksAtAmounts = look(
  "I read what writes amounts today.",
  [paths.money, "src/contracts/currency.js"],
  [paths.label, paths.poster, paths.moneyTest],
);

const amountsDone = (style: Style): string =>
  style === "sign"
    ? "Every amount begins with the sign of the currency; receipt, label and poster use one function, with its test."
    : "Every amount ends with the code of the currency; receipt, label and poster use one function, with its test.";

const writesAmounts = (styleFor: (know: Knowledge) => Style): readonly Wish[] =>
  writesAndTests(
    "One function writes amounts, and all three use it.",
    (know) => amountFiles(styleFor(know)),
    (know) => amountsDone(styleFor(know)),
  );

const searchScene: Scene = {
  name: "a clone searches",
  prompt: searchTask,
  steps: [
    {
      say: "Such code divides by a hundred.",
      calls: [call("search", { pattern: "cents / 100" })],
    },
    (seen): Step => {
      const found = [...(seen.results[0]?.output ?? "").matchAll(/^(src\/[\w/]+\.js):(\d+)/gmu)]
        .filter(([, path]) => path !== paths.money)
        .map(([, path, line]) => `- ${path}:${line}`);
      return { say: `${found.length} places write an amount by themselves:\n${found.join("\n")}` };
    },
  ],
};

/** The user forked this conversation at an earlier turn, with a message. */
const forkedByUser: Scene = {
  name: "a user's fork",
  prompt: "[FORK] The user forked this conversation",
  steps: follow(
    looksAtAmounts,
    ...writesAmounts(({ seen }) => styleIn(sectionOf(seen.prompt, "The user says"))),
  ),
  optional: true,
};

/** What agents, their forks and the reviewer of the rehearsal `receipts` say. */
const agentScenes: readonly Scene[] = [
  searchScene,
  forkedByUser,
  {
    name: "Write amounts with their currency",
    prompt: "[TASK] Write amounts with their currency",
    steps: follow(looksAtAmounts, searches, asks, ...writesAmounts((know) => styleSeen(know) ?? "code")),
  },
  member(
    "Sum up the day",
    dayFiles,
    ["src/receipt.js"],
    "Cents go in, cents come out; the text comes later.",
    "Sum up the day: written with its test, and all tests pass.",
  ),
  member(
    "Test amounts below zero",
    refundFiles,
    [paths.money],
    "A refund is an amount too.",
    "Test amounts below zero: a refund keeps its minus, and a test says so.",
  ),
];

const togetherScenes: readonly Scene[] = [
  together(
    "Print the roll of a day",
    printFiles,
    [paths.money, paths.day, "src/receipt.js"],
    "Receipts first, then the takings, in the way that amounts are written.",
    "The roll of a day goes through all parts, with its test, and all tests pass.",
  ),
];

const judgeScene = judge(
  [paths.money, "src/contracts/currency.js"],
  [paths.print],
  "One function formats every amount, no other code divides by a hundred, and all tests pass in this checkout.",
);

/**
 * An agent that forks itself, a user who forks an agent, and a reviewer whose suggestion becomes a task.
 * (HYLO-3, HIVE, AX)
 */
export const receiptsScript = defineScript({
  name: "receipts",
  routes: {
    "O-A-1": orchestratorScenes,
    "agent-*": agentScenes,
    "integrator*": togetherScenes,
    "validator-*": [judgeScene],
    "archangel-tests": reviewerScenes,
  },
});
