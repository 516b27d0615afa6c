/** What agents, their forks and the reviewer of the rehearsal `receipts` say. */
import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import type { Scene, Step } from "../model/stand-in/script.ts";
import { call, follow, type Knowledge, look, run, runFresh, type Wish, write } from "./reading.ts";
import {
  amountFiles,
  dayFiles,
  paths,
  printFiles,
  refundFiles,
  type Style,
  styleOf,
} from "./receipts-sources.ts";

const tests = "node --test";
const searchTask =
  "Find every place that turns cents into text by itself and not through src/money.js. Answer with path and line of each, and change nothing.";
const question = "How shall an amount be written?";

/** The style in anybody's words. */
export const styleIn = (words: string): Style => (/€|sign|before|front/iu.test(words) ? "sign" : "code");

/** Writes what differs, then runs the tests, then is done. */
const writes = (
  say: string,
  files: (know: Knowledge) => Readonly<Record<string, string>>,
  summary: string,
): readonly Wish[] => [
  (know) => {
    const left = Object.entries(files(know)).filter(([path, text]) => know.files.get(path) !== text);
    return left.length === 0 ? null : { say, calls: left.map(([path, text]) => write(path, text)) };
  },
  runFresh("And whether it holds.", [tests]),
  ({ runs }) =>
    runs.get(tests)?.isError === true
      ? { say: "A test fails; I end the round here, so that the next one begins with what it says." }
      : { calls: [call("report_done", { summary })] },
];

/** As the user answered in this iteration, or as an earlier one wrote it down; null while nobody has said. */
function styleKnown({ seen, files }: Knowledge): Style | null {
  const answer = sectionOf(seen.prompt, "Messages").split("The user says:")[1];
  return answer === undefined ? styleOf(files.get(paths.money)) : styleIn(answer);
}

/** A copy of itself searches, so that what it reads on the way does not fill this conversation. */
const searches: Wish = (know) =>
  styleKnown(know) !== null || know.seen.history.some(({ tool }) => tool === "fork_subagent")
    ? null
    : {
        say: "Who writes amounts by itself? A clone of mine knows all that I know and looks for it.",
        calls: [call("fork_subagent", { agent: "", task: searchTask })],
      };

const asks: Wish = (know) =>
  styleKnown(know) !== null
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

const writesAmounts = (styleFor: (know: Knowledge) => Style): readonly Wish[] => [
  (know) => {
    const files = amountFiles(styleFor(know));
    const left = Object.entries(files).filter(([path, text]) => know.files.get(path) !== text);
    return left.length === 0
      ? null
      : {
          say: "One function writes amounts, and all three use it.",
          calls: left.map(([path, text]) => write(path, text)),
        };
  },
  runFresh("And whether it holds.", [tests]),
  (know) =>
    know.runs.get(tests)?.isError === true
      ? { say: "A test fails; I end the round here, so that the next one begins with what it says." }
      : { calls: [call("report_done", { summary: amountsDone(styleFor(know)) })] },
];

const member = (
  title: string,
  files: Readonly<Record<string, string>>,
  reads: readonly string[],
  say: string,
  summary: string,
): Scene => ({
  name: title,
  prompt: `[TASK] ${title}`,
  steps: follow(
    look("I read what I build on.", reads, Object.keys(files)),
    ...writes(say, () => files, summary),
  ),
});

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
    steps: follow(looksAtAmounts, searches, asks, ...writesAmounts((know) => styleKnown(know) ?? "code")),
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
  {
    name: "Print the roll of a day",
    prompt: "[INTEGRATE] Print the roll of a day",
    steps: follow(
      look(
        "I read the parts that come together.",
        [paths.money, paths.day, "src/receipt.js"],
        [paths.print, paths.printTest],
      ),
      ...writes(
        "Receipts first, then the takings, in the way that amounts are written.",
        () => printFiles,
        "The roll of a day goes through all parts, with its test, and all tests pass.",
      ),
    ),
  },
];

export const judgeScene: Scene = {
  name: "judges",
  prompt: "[VALIDATE]",
  steps: follow(
    look("I look at what came together.", [paths.money, "src/contracts/currency.js"], [paths.print]),
    ({ runs }) => (runs.has(tests) ? null : { say: "And run it.", calls: [run(tests)] }),
    ({ seen, runs }): Step => {
      const passes = runs.get(tests)?.isError === false;
      return {
        calls: [
          call("cast_vote", {
            vote: passes ? "approve" : "reject",
            commit: /^Commit: ([0-9a-f]+)$/mu.exec(seen.prompt)?.[1] ?? "",
            reason: passes
              ? "One function writes every amount, nobody divides by a hundred beside it, and all tests pass in this checkout."
              : "The tests fail in a fresh checkout.",
          }),
        ],
      };
    },
  ),
};
