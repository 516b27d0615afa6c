/** What the agents of the rehearsal `tides` write. */

export const paths = {
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

const testOf = (path: string): string => path.replace(/^src\//u, "test/").replace(/\.js$/u, ".test.js");

const test = (imports: string, title: string, body: string): string =>
  `import assert from "node:assert/strict";\nimport { test } from "node:test";\n${imports}\n\ntest("${title}", () => {\n${body}\n});\n`;

export const contract = `/** What station and board share. Heights are whole centimetres above the harbour's zero. */
export const unit = "cm";

/** A reading with what the station thinks of it: \`{ at, height, level }\`; \`level\` is one of these. */
export const levels = ["calm", "rising", "high"];
`;

export const intent = `# Tide warnings

Whoever looks at the board sees at once whether the water is high. The station judges readings, the board shows them;
neither knows how the other works. Left out: forecasts, history beyond the readings that are kept, sending anything.
`;

export const stationLevels = `/** Shared inside the station: how far the water must rise between two readings to count as rising. */
export const risingBy = 5;
`;

export const boardLines = `/** Shared inside the board: how a moment and a height are written. */
export const clock = (at) => at.toISOString().slice(11, 16);
export const metres = (height) => \`\${(height / 100).toFixed(2)} m\`;
`;

export const gauge = {
  path: paths.gauge,
  text: `import { risingBy } from "./levels.js";

/** True when the last of two readings or more stands clearly above the one before. */
export function isRising(readings) {
  const [before, last] = readings.slice(-2);
  return last !== undefined && last.height - before.height >= risingBy;
}
`,
  test: test(
    'import { isRising } from "../../src/station/gauge.js";',
    "the water rises when the last reading stands clearly above the one before",
    `  const at = new Date(0);
  assert.equal(isRising([{ at, height: 200 }, { at, height: 205 }]), true);
  assert.equal(isRising([{ at, height: 200 }, { at, height: 204 }]), false);
  assert.equal(isRising([{ at, height: 200 }]), false);`,
  ),
};

export const alarm = (centimetres: number) => ({
  path: paths.alarm,
  text: `/** From this height on the water is high: as the harbour decided. */
export const highFrom = ${centimetres};

export const isHigh = ({ height }) => height >= highFrom;
`,
  test: test(
    'import { highFrom, isHigh } from "../../src/station/alarm.js";',
    "the water is high from the height that was decided",
    `  assert.equal(highFrom, ${centimetres});
  assert.equal(isHigh({ height: highFrom }), true);
  assert.equal(isHigh({ height: highFrom - 1 }), false);`,
  ),
});

export const table = {
  path: paths.table,
  text: `import { clock, metres } from "./lines.js";

/** One line for each reading, the newest last. */
export const tableOf = (readings) => readings.map(({ at, height }) => \`\${clock(at)}  \${metres(height)}\`).join("\\n");
`,
  test: test(
    'import { tableOf } from "../../src/board/table.js";',
    "each reading is one line with its time and height",
    `  assert.equal(tableOf([{ at: new Date("2026-04-07T06:10:00Z"), height: 219 }]), "06:10  2.19 m");`,
  ),
};

export const banner = {
  path: paths.banner,
  text: `import { levels } from "../contracts/tide.js";
import { metres } from "./lines.js";

const words = { calm: "Calm", rising: "Rising", high: "HIGH WATER" };

/** The line at the top: the newest reading in words that can be read from the quay. */
export function bannerOf(reading) {
  if (!levels.includes(reading.level)) throw new RangeError(\`There is no level \${reading.level}.\`);
  return \`\${words[reading.level]} \${metres(reading.height)}\`;
}
`,
  test: test(
    'import { bannerOf } from "../../src/board/banner.js";',
    "high water is written so that nobody misses it",
    `  assert.equal(bannerOf({ height: 431, level: "high" }), "HIGH WATER 4.31 m");
  assert.throws(() => bannerOf({ height: 431, level: "wet" }), /no level/u);`,
  ),
};

export const station = {
  path: paths.station,
  text: `import { isHigh } from "./alarm.js";
import { isRising } from "./gauge.js";

/** The newest reading with its level, or null while there is none. */
export function judge(readings) {
  const last = readings.at(-1);
  if (last === undefined) return null;
  return { ...last, level: isHigh(last) ? "high" : isRising(readings) ? "rising" : "calm" };
}
`,
  test: test(
    'import { highFrom } from "../../src/station/alarm.js";\nimport { judge } from "../../src/station/index.js";',
    "the newest reading is judged, and high comes before rising",
    `  const at = new Date(0);
  assert.equal(judge([]), null);
  const low = highFrom - 50;
  assert.equal(judge([{ at, height: low }]).level, "calm");
  assert.equal(judge([{ at, height: low }, { at, height: low + 10 }]).level, "rising");
  assert.equal(judge([{ at, height: low }, { at, height: highFrom }]).level, "high");`,
  ),
};

export const board = {
  path: paths.board,
  text: `import { bannerOf } from "./banner.js";
import { tableOf } from "./table.js";

/** The whole board: the banner, then all readings. */
export const boardOf = (judged, readings) => \`\${bannerOf(judged)}\\n\\n\${tableOf(readings)}\`;
`,
  test: test(
    'import { boardOf } from "../../src/board/index.js";',
    "the banner stands above the readings",
    `  const reading = { at: new Date("2026-04-07T06:10:00Z"), height: 219, level: "calm" };
  assert.equal(boardOf(reading, [reading]), "Calm 2.19 m\\n\\n06:10  2.19 m");`,
  ),
};

export const app = {
  path: paths.app,
  text: `import { boardOf } from "./board/index.js";
import { judge } from "./station/index.js";

/** What the board shows of the readings that are kept. */
export function show(readings) {
  const judged = judge(readings.all());
  return judged === null ? "No reading yet." : boardOf(judged, readings.all());
}
`,
  test: `import assert from "node:assert/strict";
import { test } from "node:test";
import { show } from "../src/app.js";
import { createReadings } from "../src/readings.js";
import { highFrom } from "../src/station/alarm.js";

test("a reading goes from the wall to the board", () => {
  const readings = createReadings();
  assert.equal(show(readings), "No reading yet.");
  readings.add(new Date("2026-04-07T06:00:00Z"), 212);
  readings.add(new Date("2026-04-07T06:10:00Z"), highFrom);
  assert.match(show(readings), /^HIGH WATER/u);
});
`,
};

/** A source file with its test: what one agent writes. */
export interface Written {
  readonly path: string;
  readonly text: string;
  readonly test: string;
}

export const testPath = (written: Written): string =>
  written.path === paths.app ? paths.whole : testOf(written.path);
