import { type CommonOptions, type ExitCode, exitCode } from "./command-line.ts";
import { print, printJson } from "./output.ts";
import type { RunClient } from "./run-client.ts";

/** What is done at once by a host that works, and else when the run goes on. */
export const later = (client: RunClient): string =>
  client.isLive ? "" : " Takes effect when the run resumes: hox run";

/** Says that it was done, for people or for programs. */
export function tell(
  options: CommonOptions,
  client: RunClient,
  text: string,
  value: Readonly<Record<string, unknown>>,
): ExitCode {
  if (options.json) printJson({ kind: "done", live: client.isLive, ...value });
  else print(`${text}${later(client)}`);
  return exitCode.done;
}
