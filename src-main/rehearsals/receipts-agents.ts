/** What agents, their forks and the reviewer of the rehearsal `receipts` say. */
import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import type { Scene, Step } from "../model/stand-in/script.ts";
import { call, follow, type Knowledge, look, type Wish } from "./reading.ts";
import {
  amountFiles,
  dayFiles,
  paths,
  printFiles,
  refundFiles,
  type Style,
  styleOf,
} from "./receipts-sources.ts";
import { judge, member, together, writesAndTests } from "./usual-scenes.ts";

const searchTask =
  "Find every place that turns cents into text by itself and not through src/money.js. Answer with path and line of each, and change nothing.";
const question = "How shall an amount be written?";

/** The style in anybody's words. */
export const styleIn = (words: string): Style => (/€|sign|before|front/iu.test(words) ? "sign" : "code");

/** As the user answered in this iteration, or as an earlier one wrote it down; null while nobody has said. */
function styleSeen({ seen, files }: Knowledge): Style | null {
  const answer = sectionOf(seen.prompt, "Messages").split("The user says:")[1];
  return answer === undefined ? styleOf(files.get(paths.money)) : styleIn(answer);
}

/** A copy of itself searches, so that what it reads on the way does not fill this conversation. */
const searches: Wish = (know) =>
  styleSeen(know) !== null || know.seen.history.some(({ tool }) => tool === "fork_subagent")
    ? null
    : {
        say: "Who writes amounts by itself? A clone of mine knows all that I know and looks for it.",
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
      say: "Whoever does it by itself divides by a hundred.",
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

/** A person took this conversation up again at an earlier turn, with words of their own. */
const forkedByPerson: Scene = {
  name: "a person's fork",
  prompt: "[FORK] A person forked this conversation",
  steps: follow(
    looksAtAmounts,
    ...writesAmounts(({ seen }) => styleIn(sectionOf(seen.prompt, "The person says"))),
  ),
  optional: true,
};

export const agentScenes: readonly Scene[] = [
  searchScene,
  forkedByPerson,
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

export const togetherScenes: readonly Scene[] = [
  together(
    "Print the roll of a day",
    printFiles,
    [paths.money, paths.day, "src/receipt.js"],
    "Receipts first, then the takings, in the way that amounts are written.",
    "The roll of a day goes through all parts, with its test, and all tests pass.",
  ),
];

export const judgeScene = judge(
  [paths.money, "src/contracts/currency.js"],
  [paths.print],
  "One function writes every amount, nobody divides by a hundred beside it, and all tests pass in this checkout.",
);
