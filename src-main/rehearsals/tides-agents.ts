import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import type { Scene, Step } from "../model/stand-in/script.ts";
import { call, follow, type Knowledge, look, run, runFresh, type Wish, write } from "./reading.ts";
import {
  alarm,
  app,
  banner,
  board,
  gauge,
  paths,
  station,
  table,
  testPath,
  type Written,
} from "./tides-sources.ts";

const tests = "node --test";

/** The height in an answer in anybody's words; metres are made centimetres. */
export function heightIn(answer: string): number {
  const [, number = "", unit = ""] = /(\d+(?:[.,]\d+)?)\s*(cm|m\b)?/u.exec(answer) ?? [];
  const value = Number(number.replace(",", "."));
  if (!Number.isFinite(value) || value <= 0) return 400;
  return Math.round(unit === "m" || value < 20 ? value * 100 : value);
}

/** One file with its test, then the tests, then done. */
const writes = (say: string, written: (know: Knowledge) => Written, summary: string): readonly Wish[] => [
  (know) => {
    const one = written(know);
    const wanted: Readonly<Record<string, string>> = { [one.path]: one.text, [testPath(one)]: one.test };
    const left = Object.entries(wanted).filter(([path, text]) => know.files.get(path) !== text);
    return left.length === 0 ? null : { say, calls: left.map(([path, text]) => write(path, text)) };
  },
  runFresh("And whether it holds.", [tests]),
  ({ runs }) =>
    runs.get(tests)?.isError === true
      ? { say: "A test fails; I end the round here, so that the next one begins with what it says." }
      : { calls: [call("report_done", { summary })] },
];

const member = (title: string, reads: readonly string[], one: Written, say: string): Scene => ({
  name: title,
  prompt: `[TASK] ${title}`,
  steps: follow(
    look("I read what I build on.", reads, [one.path, testPath(one)]),
    ...writes(say, () => one, `${title}: written with its test, and all tests pass.`),
  ),
});

/** As it was answered in this iteration, or as an earlier one wrote it down; null while nobody has said. */
function heightKnown({ seen, files }: Knowledge): number | null {
  const answer = sectionOf(seen.prompt, "Messages");
  // A name such as agent-2 holds a number too.
  if (answer !== "") return heightIn(answer.split("The user says:")[1] ?? "");
  const written = /^export const highFrom = (\d+);$/mu.exec(files.get(paths.alarm) ?? "")?.[1];
  return written === undefined ? null : Number(written);
}

const asksForHeight: Wish = (know) =>
  heightKnown(know) !== null
    ? null
    : {
        say: "From which height on? A number that I made up would look like a fact.",
        calls: [
          call("align_request", {
            question: "From which height on is the water high?",
            options: ["400 cm", "450 cm"],
            blocking: true,
          }),
        ],
      };

const alarmTests = testPath(alarm(0));

export const memberScenes: readonly Scene[] = [
  member(
    "Tell rising water",
    [paths.levels],
    gauge,
    "Two readings decide, by the number that the part shares.",
  ),
  {
    name: "Tell high water",
    prompt: "[TASK] Tell high water",
    steps: follow(
      look("I read what I build on.", [paths.levels], [paths.alarm, alarmTests]),
      asksForHeight,
      ...writes(
        "The height as the user wants it, in one place.",
        (know) => alarm(heightKnown(know) ?? 400),
        "Tell high water: the height that was decided stands in one place, with its test.",
      ),
    ),
  },
  member("Write the table", [paths.lines], table, "One line for each reading."),
  member(
    "Write the banner",
    [paths.contract, paths.lines],
    banner,
    "The words for each level of the contract, and an error for any other.",
  ),
];

const together = (heading: string, reads: readonly string[], written: Written, say: string): Scene => ({
  name: heading,
  prompt: `[INTEGRATE] ${heading}`,
  steps: follow(
    look("I read the parts that come together.", reads, [written.path, testPath(written)]),
    ...writes(say, () => written, `${heading}: wired with a test through all of it, and all tests pass.`),
  ),
});

export const togetherScenes: readonly Scene[] = [
  together("Bring the station together", [paths.gauge, paths.alarm], station, "High comes before rising."),
  together(
    "Bring the board together",
    [paths.table, paths.banner],
    board,
    "The banner stands above the table.",
  ),
  together(
    "Put the board on the station",
    [paths.station, paths.board],
    app,
    "From the readings to the board, with one test through both parts.",
  ),
];

export const judgeScene: Scene = {
  name: "judges",
  prompt: "[VALIDATE]",
  steps: follow(
    look("I look at what came together.", [paths.app, paths.contract], [paths.station, paths.board]),
    ({ runs }) => (runs.has(tests) ? null : { say: "And run it.", calls: [run(tests)] }),
    ({ seen, runs }): Step => {
      const passes = runs.get(tests)?.isError === false;
      return {
        calls: [
          call("cast_vote", {
            vote: passes ? "approve" : "reject",
            commit: /^Commit: ([0-9a-f]+)$/mu.exec(seen.prompt)?.[1] ?? "",
            reason: passes
              ? "Station and board meet in src/app.js through the contract alone, and a test goes through both. All tests pass in this checkout."
              : "The tests fail in a fresh checkout.",
          }),
        ],
      };
    },
  ),
};
