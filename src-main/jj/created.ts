import { JjError } from "./errors.ts";
import type { JjOutput } from "./process.ts";

/** The change that `jj new` says it made; our settings make it say whole ids. */
export const createdIn = (output: JjOutput): Created =>
  parseCreated(output, /^Created new commit (?<commit>[0-9a-f]+) (?<change>[k-z]+)/mu);

/** The same of `jj duplicate`. */
export const duplicatedIn = (output: JjOutput): Created =>
  parseCreated(output, /^Duplicated [0-9a-f]+ as (?<commit>[0-9a-f]{40,}) (?<change>[k-z]{32})/mu);

interface Created {
  readonly changeId: string;
  readonly commitId: string;
}

function parseCreated(output: JjOutput, line: RegExp): Created {
  const { commit, change } = (line.exec(output.stderr) ?? line.exec(output.stdout))?.groups ?? {};
  if (commit === undefined || change === undefined)
    throw new JjError({
      kind: "failed",
      message: "jj did not report which change it created.",
      stderr: output.stderr,
      remedy: "Check the installed jj's version; Hox is developed against 0.46.",
    });
  return { commitId: commit, changeId: change };
}
