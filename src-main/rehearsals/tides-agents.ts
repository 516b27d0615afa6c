import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import type { Scene } from "../model/stand-in/script.ts";
import { call, follow, type Knowledge, look, type Wish } from "./reading.ts";
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
import { judge, member, together, writesAndTests } from "./usual-scenes.ts";

/** The height in an answer in anybody's words; metres are made centimetres. */
export function heightIn(answer: string): number {
  const [, number = "", unit = ""] = /(\d+(?:[.,]\d+)?)\s*(cm|m\b)?/u.exec(answer) ?? [];
  const value = Number(number.replace(",", "."));
  if (!Number.isFinite(value) || value <= 0) return 400;
  return Math.round(unit === "m" || value < 20 ? value * 100 : value);
}

/** One file and its test. */
const filesOf = (one: Written): Readonly<Record<string, string>> => ({
  [one.path]: one.text,
  [testPath(one)]: one.test,
});

const memberOf = (title: string, reads: readonly string[], one: Written, say: string): Scene =>
  member(title, filesOf(one), reads, say, `${title}: written with its test, and all tests pass.`);

/** As it was answered in this iteration, or as an earlier one wrote it down; null while nobody has said. */
function heightSeen({ seen, files }: Knowledge): number | null {
  const answer = sectionOf(seen.prompt, "Messages");
  // A name such as agent-2 holds a number too.
  if (answer !== "") return heightIn(answer.split("The user says:")[1] ?? "");
  const written = /^export const highFrom = (\d+);$/mu.exec(files.get(paths.alarm) ?? "")?.[1];
  return written === undefined ? null : Number(written);
}

const asksForHeight: Wish = (know) =>
  heightSeen(know) !== null
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
  memberOf(
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
      ...writesAndTests(
        "The height as the user wants it, in one place.",
        (know) => filesOf(alarm(heightSeen(know) ?? 400)),
        () => "Tell high water: the height that was decided stands in one place, with its test.",
      ),
    ),
  },
  memberOf("Write the table", [paths.lines], table, "One line for each reading."),
  memberOf(
    "Write the banner",
    [paths.contract, paths.lines],
    banner,
    "The words for each level of the contract, and an error for any other.",
  ),
];

const partsTogether = (heading: string, reads: readonly string[], one: Written, say: string): Scene =>
  together(
    heading,
    filesOf(one),
    reads,
    say,
    `${heading}: wired with a test through all of it, and all tests pass.`,
  );

export const togetherScenes: readonly Scene[] = [
  partsTogether(
    "Bring the station together",
    [paths.gauge, paths.alarm],
    station,
    "High comes before rising.",
  ),
  partsTogether(
    "Bring the board together",
    [paths.table, paths.banner],
    board,
    "The banner stands above the table.",
  ),
  partsTogether(
    "Put the board on the station",
    [paths.station, paths.board],
    app,
    "From the readings to the board, with one test through both parts.",
  ),
];

export const judgeScene = judge(
  [paths.app, paths.contract],
  [paths.station, paths.board],
  "Station and board meet in src/app.js through the contract alone, and a test goes through both. All tests pass in this checkout.",
);
