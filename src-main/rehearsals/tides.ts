import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import { defineScript, type Scene, type Seen, type Step } from "../model/stand-in/script.ts";
import {
  acceptsWork,
  asksUser,
  judge,
  learnsNothing,
  letsBothContinue,
  member,
  passesAnswerDown,
  passesAnswerOn,
  plans,
  together,
  writesAndTests,
  writesContracts,
} from "./default-scenes.ts";
import { call, follow, type Knowledge, look, type Wish, writtenFiles, writtenPlan } from "./reading.ts";

/** The height in a free-form answer; metres are converted to centimetres. */
export function heightIn(answer: string): number {
  const [, number = "", unit = ""] = /(\d+(?:[.,]\d+)?)\s*(cm|m\b)?/u.exec(answer) ?? [];
  const value = Number(number.replace(",", "."));
  if (!Number.isFinite(value) || value <= 0) return 400;
  return Math.round(unit === "m" || value < 20 ? value * 100 : value);
}

/** What the agents of the rehearsal `tides` write. */
const paths = {
  contract: "src/contracts/tide.js",
  intent: "docs/tide-warnings.md",
  levels: "src/station/levels.js",
  gauge: "src/station/gauge.js",
  alarm: "src/station/alarm.js",
  station: "src/station/index.js",
  lines: "src/board/lines.js",
  table: "src/board/table.js",
  banner: "src/board/banner.js",
  board: "src/board/index.js",
  app: "src/app.js",
  whole: "test/app.test.js",
} as const;

const testPath = (path: string): string =>
  path === paths.app ? paths.whole : path.replace(/^src\//u, "test/").replace(/\.js$/u, ".test.js");

/** A source file with its test: what one agent writes. */
const withTest = (path: string) => writtenFiles("tides", [path, testPath(path)]);

/** The height in the files, in place of which the harbour decides one. */
const exampleHeight = "400";

const alarm = (centimetres: number) =>
  Object.fromEntries(
    Object.entries(withTest(paths.alarm)).map(([path, text]) => [
      path,
      text.replaceAll(exampleHeight, String(centimetres)),
    ]),
  );

const memberOf = (title: string, reads: readonly string[], path: string, say: string): Scene =>
  member(title, withTest(path), reads, say, `${title}: written with its test, and all tests pass.`);

/** As answered in this iteration, or as an earlier one wrote it down; null if there is no answer. */
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

const memberScenes: readonly Scene[] = [
  memberOf(
    "Tell rising water",
    [paths.levels],
    paths.gauge,
    "Two readings decide, by the number that the part shares.",
  ),
  {
    name: "Tell high water",
    prompt: "[TASK] Tell high water",
    steps: follow(
      look("I read what I build on.", [paths.levels], [paths.alarm, testPath(paths.alarm)]),
      asksForHeight,
      ...writesAndTests(
        "The height as the user wants it, in one place.",
        (know) => alarm(heightSeen(know) ?? 400),
        () => "Tell high water: the decided height is in one place, with its test.",
      ),
    ),
  },
  memberOf("Write the table", [paths.lines], paths.table, "One line for each reading."),
  memberOf(
    "Write the banner",
    [paths.contract, paths.lines],
    paths.banner,
    "The words for each level of the contract, and an error for any other.",
  ),
];

const partsTogether = (heading: string, reads: readonly string[], path: string, say: string): Scene =>
  together(
    heading,
    withTest(path),
    reads,
    say,
    `${heading}: wired with a test through all of it, and all tests pass.`,
  );

const togetherScenes: readonly Scene[] = [
  partsTogether(
    "Bring the station together",
    [paths.gauge, paths.alarm],
    paths.station,
    "High comes before rising.",
  ),
  partsTogether(
    "Bring the board together",
    [paths.table, paths.banner],
    paths.board,
    "The banner is above the table.",
  ),
  partsTogether(
    "Put the board on the station",
    [paths.station, paths.board],
    paths.app,
    "From the readings to the board, with one test through both parts.",
  ),
];

const judgeScene = judge(
  [paths.app, paths.contract],
  [paths.station, paths.board],
  "Station and board meet in src/app.js through the contract alone, and a test goes through both. All tests pass in this checkout.",
);

const stationPlan = writtenPlan("tides", "plan-station");
const boardPlan = writtenPlan("tides", "plan-board");

const approves = acceptsWork("One file and its test, inside the task, and the checks pass on it.");

const hearsPeers: Scene = {
  name: "hears a peer",
  prompt: "[EVENT message]",
  steps: [
    (seen): Step => ({
      say: /oldest first/u.test(seen.prompt)
        ? "So the newest reading is the last one. My plan says the same; nothing changes."
        : "Good to know. Nothing follows for my part.",
      calls: [call("report_done", { summary: "Read. It fits the plan." })],
    }),
  ],
  optional: true,
};

const rootScenes: readonly Scene[] = [
  approves,
  letsBothContinue,
  hearsPeers,
  plans(
    ["README.md", "src/readings.js"],
    "Warn of high water",
    "Two parts that share one contract. Each has several files, so each gets an orchestrator.",
    writtenPlan("tides"),
  ),
  writesContracts(
    ["src/readings.js"],
    "One contract, and a note of what the goal wants.",
    writtenFiles("tides", [paths.contract, paths.intent]),
    "The contract names the unit and the levels.",
  ),
  asksUser(
    "Neither goal nor repository says it, and people will act on it: that is for the user.",
    ["400 cm", "450 cm"],
    (question) => `${question} It is seen outside: from there on the board says HIGH WATER.`,
  ),
  passesAnswerOn("Only one part needs it, so it is an answer and not a decision for all."),
  learnsNothing(
    "Two parts with one contract between them went side by side without a conflict. That is known already.",
  ),
];

const leadsStation = (seen: Seen): boolean => seen.opening.includes("Build the station");

const tellsOrder: Wish = ({ seen }) =>
  seen.history.some((one) => one.tool === "inform")
    ? null
    : {
        say: "The board will want to know in which order it gets readings.",
        calls: [
          call("inform", {
            to: "O-B-*",
            text: "Readings come oldest first, heights in whole centimetres: src/readings.js says so, and the station keeps that order.",
          }),
        ],
      };

const partScenes: readonly Scene[] = [
  approves,
  letsBothContinue,
  hearsPeers,
  {
    name: "plan of the part",
    prompt: /^\[EVENT plan(?: changed)?\]/u,
    steps: follow(look("I look at what my part builds on.", [paths.contract]), ({ seen }) => ({
      say: "Two files that do not need each other, around one that they share.",
      calls: [call("propose_plan", { ...(leadsStation(seen) ? stationPlan : boardPlan) })],
    })),
  },
  {
    ...writesContracts(
      ["src/readings.js"],
      "One number that both agents need.",
      writtenFiles("tides", [paths.levels]),
      "The limit for rising is in one place.",
      [tellsOrder],
    ),
    name: "contracts of the station",
    prompt: (seen) => seen.prompt.startsWith("[EVENT contracts]") && leadsStation(seen),
  },
  writesContracts(
    [paths.contract],
    "How moments and heights are written, once for table and banner.",
    writtenFiles("tides", [paths.lines]),
    "Moments and heights are written in one place.",
  ),
  {
    name: "a question that is not mine to answer",
    prompt: "[EVENT align-request]",
    steps: [
      {
        say: "My part does not say it, and the goal neither. I pass it up; my other agent works on meanwhile.",
        calls: [
          call("escalate", {
            question: "From which height on is the water high?",
            options: ["400 cm", "450 cm"],
          }),
        ],
      },
    ],
  },
  passesAnswerDown("O-A-1"),
];

/** Two orchestrators below the root, with a question that goes up to the user and a word among peers. (HOX-3.1) */
export const tidesScript = defineScript({
  name: "tides",
  routes: {
    "O-A-1": rootScenes,
    "O-B-*": partScenes,
    "agent-*": memberScenes,
    "integrator*": togetherScenes,
    "validator-*": [judgeScene],
  },
});
