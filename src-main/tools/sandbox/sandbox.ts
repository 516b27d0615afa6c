import { realpath } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { relative, resolve } from "node:path";
import { defaultProtectedFiles } from "#shared/domain/files/protected-files.ts";
import { findTool, isProgram, toolGone } from "../../config/tools.ts";
import { Folder } from "../../disk/folder.ts";
import type { CommandNetworkOptions } from "../network/command-network.ts";
import { protection } from "../protected-files.ts";
import { createRedactor, secretsOf } from "../redact.ts";
import { ToolFailure } from "../tool-failure.ts";
import type { CommandResult, Sandbox } from "../tool-interface.ts";
import { commandEnvironment } from "./command-environment.ts";
import { guardedPaths } from "./guarded-paths.ts";
import { refuseHanging, rememberHanging } from "./hanging-workspaces.ts";
import { isolationOf } from "./isolation.ts";
import { defaultLimits, type Limits, limitedShell } from "./limits.ts";
import { guardedWorkspace, type PreparedCommand, processOf, restoreProtected } from "./prepared-command.ts";
import { runInBubblewrap } from "./run-in-bubblewrap.ts";
import { runInSeatbelt } from "./run-in-seatbelt.ts";
import { runProcess } from "./run-process.ts";
import { findToolchains } from "./toolchains.ts";
import { oneAtATime } from "./workspace-lock.ts";
import { workspaceView } from "./workspace-view.ts";

export interface SandboxOptions {
  /** The user has said in so many words that commands may run without a sandbox. Means nothing where there is one. */
  readonly allowUnsandboxed: boolean;
  /** Values that must never be shown, beside the keys and tokens of the environment. */
  readonly secrets?: readonly string[];
  readonly protectedFiles?: readonly string[];
  /** Further folders that commands may read. */
  readonly readable?: readonly string[];
  /** The person's folder that workspaces are copies of: inside, a workspace stands at its path. Default: at its own. */
  readonly repository?: string;
  readonly limits?: Partial<Limits>;
  /** What commands may reach, as `sandbox.hosts` lists it; default: nothing. */
  readonly hosts?: readonly string[];
  /** For tests: leads names to servers of their own. */
  readonly network?: Pick<CommandNetworkOptions, "resolveName" | "dial">;
  /** Where whole outputs are kept that are too long for the record; default: nowhere. */
  readonly logFolder?: string;
  /** For tests: the sandbox program; null means that there is none. Default: what `findTool` finds. */
  readonly program?: string | null;
}

/** Finds out what this machine can do, tries it once, and says so in `isolation`. */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const tool = findTool("sandbox");
  const program = options.program !== undefined ? options.program : tool.found ? tool.path : null;
  const { isolation, probed } = await isolationOf(program, {
    allowUnsandboxed: options.allowUnsandboxed,
    hosts: options.hosts ?? [],
  });
  const redactor = createRedactor([...secretsOf(process.env), ...(options.secrets ?? [])]);
  const repository = options.repository === undefined ? null : await realpath(options.repository);
  const toolchains = findToolchains({ readable: options.readable ?? [], repository });
  const limits = { ...defaultLimits, ...options.limits };

  return {
    isolation,
    async run(command) {
      if (!isolation.allowed) {
        const remedy = tool.found ? "" : ` ${tool.remedy}`;
        throw new ToolFailure("sandbox-missing", `Commands are not run: ${isolation.description}${remedy}`);
      }
      if (program !== null && isolation.kind !== "none" && !isProgram(program))
        throw toolGone("sandbox", program);
      const workspace = await realpath(command.workspace);
      const guard = protection(
        command.protectedFiles ?? options.protectedFiles ?? defaultProtectedFiles,
        command.exactPaths,
      );
      const run = async (): Promise<CommandResult> => {
        refuseHanging(workspace);
        const root = await Folder.open(workspace);
        try {
          const folder = await folderIn(workspace, command.folder ?? ".");
          const { logFolder } = options;
          const network = { ...options.network, ...(command.network ?? { hosts: options.hosts ?? [] }) };
          const prepared = {
            workspace,
            view: workspaceView(workspace, repository, toolchains, homedir()),
            root,
            folder,
            command,
            guard,
            toolchains,
            limits,
            redactor,
            logFolder,
            network,
            probed,
          };
          if (isolation.kind === "bubblewrap" && program) return await runInBubblewrap(program, prepared);
          if (isolation.kind === "seatbelt" && program) return await runInSeatbelt(program, prepared);
          return await runInNothing(prepared);
        } finally {
          await root.close();
        }
      };
      return oneAtATime(workspace, () => rememberHanging(workspace, run));
    },
  };
}

/** A folder of the workspace, links resolved. */
async function folderIn(workspace: string, folder: string): Promise<string> {
  const real = await realpath(resolve(workspace, folder)).catch(() => {
    throw new ToolFailure("not-found", `The folder ${folder} does not exist.`);
  });
  const inside = relative(workspace, real);
  if (inside.startsWith("..") || resolve(workspace, inside) !== real) {
    throw new ToolFailure("outside-workspace", `${folder} is outside the workspace.`);
  }
  return real;
}

/** Only after the user's word. The environment is still ours to choose, and planted files are still removed. */
async function runInNothing(prepared: PreparedCommand): Promise<CommandResult> {
  const { toolchains, limits, folder, command } = prepared;
  const guarded = await guardedPaths(guardedWorkspace(prepared));
  const [program, ...args] = limitedShell(command.command, limits, null);
  const result = await runProcess({
    ...processOf(prepared),
    program: program ?? "/bin/sh",
    args,
    folder,
    environment: {
      ...commandEnvironment(toolchains, { home: tmpdir(), extra: command.environment }),
      TMPDIR: tmpdir(),
    },
  });
  return restoreProtected(prepared, result, guarded);
}
