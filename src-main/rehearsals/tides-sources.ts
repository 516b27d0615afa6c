/** What the agents of the rehearsal `tides` write. */
import { writtenFile } from "./written-files.ts";

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

/** A source file with its test: what one agent writes. */
export interface Written {
  readonly path: string;
  readonly text: string;
  readonly test: string;
}

export const testPath = ({ path }: Pick<Written, "path">): string =>
  path === paths.app ? paths.whole : path.replace(/^src\//u, "test/").replace(/\.js$/u, ".test.js");

const written = (path: string): Written => ({
  path,
  text: writtenFile("tides", path),
  test: writtenFile("tides", testPath({ path })),
});

export const contract = writtenFile("tides", paths.contract);
export const intent = writtenFile("tides", paths.intent);
export const stationLevels = writtenFile("tides", paths.levels);
export const boardLines = writtenFile("tides", paths.lines);
export const gauge = written(paths.gauge);
export const table = written(paths.table);
export const banner = written(paths.banner);
export const station = written(paths.station);
export const board = written(paths.board);
export const app = written(paths.app);

/** The height in the files, in place of which the harbour decides one. */
const exampleHeight = "400";

export function alarm(centimetres: number): Written {
  const { path, text, test } = written(paths.alarm);
  const decided = (source: string): string => source.replaceAll(exampleHeight, String(centimetres));
  return { path, text: decided(text), test: decided(test) };
}
