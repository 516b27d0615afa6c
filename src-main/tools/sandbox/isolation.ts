import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Isolation } from "../tool-interface.ts";
import { holdsNothing, type Probed, probeBubblewrap } from "./probe.ts";

/**
 * Programs that work, with what they do: every check and command asks anew, and nothing is lost should one stop
 * working, because then it refuses its commands itself. What does not work is tried each time: a person may mend it.
 */
const proven = new Map<string, Probed>();

/** What this machine can do, tried once, and what is said of it. */
export async function isolationOf(
  program: string | null,
  { allowUnsandboxed, hosts }: { readonly allowUnsandboxed: boolean; readonly hosts: readonly string[] },
): Promise<{ readonly isolation: Isolation; readonly probed: Probed | null }> {
  const probed = program === null ? null : (proven.get(program) ?? (await probe(program)));
  if (program !== null && probed?.problem === null) {
    proven.set(program, probed);
    const isBubblewrap = process.platform !== "darwin";
    const held = isBubblewrap
      ? `${[
          "own namespaces, no nested ones",
          ...(probed.hasFilter ? ["system calls filtered"] : []),
          probed.controlGroups
            ? `a control group that bounds memory and processes${probed.hasWeight ? " and gives it low CPU priority" : ""}`
            : `memory and processes counted by Hox${probed.groupProblem === null ? "" : ` (no control group: ${probed.groupProblem})`}`,
        ].join(", ")}; `
      : "";
    const network =
      hosts.length === 0
        ? "no network"
        : isBubblewrap
          ? `network access only to ${hosts.join(", ")}`
          : "no network, not even the configured hosts";
    const description =
      `Commands can use their own workspace and the system's programs (${held}${network}, no home folder); .jj, .git and ` +
      "protected files are read-only.";
    const kind = isBubblewrap ? "bubblewrap" : "seatbelt";
    const summary = [
      [kind, probed.version].filter(Boolean).join(" "),
      ...(probed.hasFilter ? ["system calls filtered"] : []),
      ...(probed.controlGroups ? ["own control groups"] : []),
      hosts.length === 0 || !isBubblewrap ? "no network" : `${hosts.length} of all hosts`,
    ].join(", ");
    return { isolation: { kind, version: probed.version, summary, description, allowed: true }, probed };
  }
  const problem = probed?.problem ?? "no sandbox program was found";
  const description = allowUnsandboxed
    ? `Commands run WITHOUT a sandbox, with your permissions, because you allowed it (${problem}).`
    : `No sandbox on this machine (${problem}).`;
  const summary = allowUnsandboxed ? "none, commands have your permissions" : "none, commands are refused";
  return {
    isolation: { kind: "none", version: null, summary, description, allowed: allowUnsandboxed },
    probed: null,
  };
}

/** A program may be there and the kernel may still forbid it. */
async function probe(program: string): Promise<Probed> {
  if (process.platform !== "darwin") return probeBubblewrap(program);
  try {
    const args = ["-p", "(version 1)(allow default)", "/bin/echo", "held"];
    const { stdout } = await execute(program, args, { env: { PATH: "/usr/bin:/bin" }, timeout: 5000 });
    const problem = stdout.trim() === "held" ? null : `${program} does not run a command`;
    return holdsNothing(problem);
  } catch (error) {
    const errorLine = (error as { stderr?: string }).stderr?.trim().split("\n")[0];
    const problem = `${program} does not work here: ${errorLine || (error instanceof Error ? error.message : String(error))}`;
    return holdsNothing(problem);
  }
}

const execute = promisify(execFile);
