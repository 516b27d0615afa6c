import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeTree } from "../../disk/remove-tree.ts";
import type { CommandResult } from "../tool-interface.ts";
import { commandEnvironment } from "./command-environment.ts";
import { guardedPaths } from "./guarded-paths.ts";
import { limitedShell } from "./limits.ts";
import {
  guardedWorkspace,
  type PreparedCommand,
  placeOf,
  processOf,
  restoreProtected,
} from "./prepared-command.ts";
import { runProcess } from "./run-process.ts";
import { seatbeltProfile } from "./seatbelt.ts";
import { virtualEnvironmentFor } from "./virtual-environment.ts";
import { homeOf } from "./workspace-home.ts";

/** With a HOME of its own where the workspace has none. */
export async function runInSeatbelt(program: string, prepared: PreparedCommand): Promise<CommandResult> {
  const { workspace, toolchains, limits, folder } = prepared;
  const guarded = await guardedPaths(guardedWorkspace(prepared));
  const temporary = await realpath(await mkdtemp(join(tmpdir(), "hox-command-")));
  const virtualEnvironment = await virtualEnvironmentFor(workspace, placeOf(prepared));
  const kept = homeOf(workspace);
  const home = kept === null ? temporary : await realpath(kept);
  const environment = {
    ...commandEnvironment(toolchains, {
      home,
      // What was installed there still names the person's folder: its interpreter and its packages are found.
      virtualEnvironment: virtualEnvironment && join(workspace, virtualEnvironment),
      extra: prepared.command.environment,
    }),
    TMPDIR: temporary,
  };
  try {
    const profile = seatbeltProfile({
      workspace,
      private: [temporary, home],
      guarded: guarded.paths,
      toolchains,
    });
    const result = await runProcess({
      ...processOf(prepared),
      program,
      args: ["-p", profile, ...limitedShell(prepared.command.command, limits, null)],
      folder,
      environment,
    });
    return await restoreProtected(prepared, result, guarded);
  } finally {
    await removeTree(temporary);
  }
}
