import { JjError } from "./errors.ts";
import type { JjOutput } from "./process.ts";

const line = /^Created new commit ([0-9a-f]+) ([k-z]+)/m;

/** The change that `jj new` says it made; our settings make it say whole ids. */
export function createdIn(output: JjOutput): { changeId: string; commitId: string } {
  const match = line.exec(output.stderr) ?? line.exec(output.stdout);
  if (!match?.[1] || !match[2])
    throw new JjError({
      kind: "failed",
      message: "jj did not say which change it made.",
      stderr: output.stderr,
      remedy: "Check the installed jj's version; Hox is developed against 0.46.",
    });
  return { commitId: match[1], changeId: match[2] };
}
