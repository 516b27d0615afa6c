/** What a run builds on where nobody said it: the person is told, and may choose. */
import type { BaseCommitView, RunBaseView } from "#shared/contract/views/landing.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import type { Engine } from "../engine/engine-interface.ts";
import { ask } from "./ask.ts";
import { CommandError, exitCode } from "./command-line.ts";
import { print, printJson } from "./output.ts";
import type { RunOptions } from "./run-options.ts";

/**
 * The branch to build and land on where nothing was said: the person is told it, and asked where it is not the main one.
 */
export async function chooseBase(engine: Engine, options: RunOptions): Promise<string | null> {
  const found = await engine.execute("run.ground");
  const { standsOn, trunk } = found;
  if (options.json) printJson({ kind: "ground", branch: standsOn, ...found });
  if (standsOn === null) return options.json ? null : baseOf(found);
  const elsewhere = trunk !== null && trunk !== standsOn;
  if (!options.json)
    print(
      `Builds and lands on ${shownName(standsOn)}, your current branch.${elsewhere ? ` (for the main branch: --onto ${shownName(trunk)})` : ""}`,
    );
  if (!elsewhere || options.json || !process.stdin.isTTY) return null;
  const answer = (await ask(`${standsOn} or ${trunk}? [${standsOn}] `)).trim();
  if (answer === "" || answer === standsOn) return null;
  if (answer === trunk) return trunk;
  throw new CommandError(
    `"${answer}" is not one of the two branches.`,
    "For another change, use --onto.",
    exitCode.usage,
  );
}

/** The same for whoever is on no branch of Git's: what they stand on may not be what is built on. */
async function baseOf({ trunk, base, leftOut }: RunBaseView): Promise<string | null> {
  // The start says that there is nothing to build on.
  if (base === null) return null;
  const lands = trunk === null ? "you choose the branch when it lands" : `lands on ${shownName(trunk)}`;
  print(`Builds on ${formatBaseCommit(base)}; ${lands}.`);
  if (leftOut === null) return null;
  print(
    `You are on ${formatBaseCommit(leftOut)}, which is not in it. (to build on it: --onto ${leftOut.changeId.slice(0, 12)})`,
  );
  if (!process.stdin.isTTY) return null;
  const answer = (await ask("Build on your current commit instead? [y/N] ")).trim().toLowerCase();
  return ["y", "yes"].includes(answer) ? leftOut.changeId : null;
}

const formatBaseCommit = ({ changeId, commitId, title }: BaseCommitView): string =>
  `${changeId.slice(0, 8)} ${commitId.slice(0, 8)}${title === "" ? "" : ` "${shownLine(startOf(title, 60))}"`}`;
