import { version } from "../version.ts";
import type { ExitCode } from "./command-line.ts";
import { hostRows, projectRows, replayRows, resultRows, sessionRows, startRows } from "./local-commands.ts";
import { peopleRows } from "./people/rows.ts";
import { archangelRows } from "./repo/archangels.ts";
import { patternRows } from "./repo/patterns.ts";
import { runRows } from "./run-rows.ts";
import { planRows } from "./steer/plan.ts";
import { steerRows } from "./steer/steer.ts";
import { workerRows } from "./workers/rows.ts";

/** As the help lists them. */
const rows = [
  ...startRows,
  ...steerRows,
  ...planRows,
  ...resultRows,
  ...patternRows,
  ...replayRows,
  ...sessionRows,
  ...projectRows,
  ...archangelRows,
  ...workerRows,
  ...hostRows,
  ...peopleRows,
];

/** Runs one command line and returns the exit code; all errors are printed. */
export const runCommandLine = (args: readonly string[]): Promise<ExitCode> => runRows(rows, version(), args);
