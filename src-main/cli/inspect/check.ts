import { lfsNotice } from "#shared/domain/files/lfs-pointer.ts";
import type { Preflight } from "#shared/domain/project/preflight.ts";
import {
  checksAsToml,
  chosenChecks,
  formatLookedCheck,
  isSlow,
  projectLines,
  proposedChecks,
} from "#shared/domain/project/preflight-checks.ts";
import { remedyOf } from "#shared/domain/text/remedied-error.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { lockRepository } from "../../api/repository-lock.ts";
import { runSandbox } from "../../api/start-engine.ts";
import { loadConfig } from "../../config/config.ts";
import { writeChecks } from "../../config/write-settings.ts";
import { Interrupted } from "../../engine/engine-errors.ts";
import type { EngineEvent } from "../../engine/engine-interface.ts";
import { chooseRunBase } from "../../engine/graph-sync/run-base.ts";
import { lastLookAt } from "../../engine/project/kept-looks.ts";
import { lookAtBase } from "../../engine/project/look-at-base.ts";
import { createGitViews } from "../../engine/workspaces/git-views.ts";
import type { Repository } from "../../jj/ports/repository-interface.ts";
import { CommandError, type CommonOptions, cancellable, type ExitCode, exitCode } from "../command-line.ts";
import { print, printError, printJson } from "../output.ts";
import { configPlace, printUntrusted } from "../repo/config.ts";
import { stateFolderOf, withRepository } from "../repository.ts";

export interface CheckOptions extends CommonOptions {
  readonly onto?: string;
  /** Also where the same commit was tried before. */
  readonly again?: boolean;
  /** Names the checks that can run in the configuration. */
  readonly write?: boolean;
}

/** Preflight without a run: 0 where everything that runs is green, 1 where something is red, else 2. */
export async function check(options: CheckOptions): Promise<ExitCode> {
  try {
    return await withRepository(options, (repository) => lookAndTell(repository, options));
  } catch (error) {
    if (error instanceof Interrupted) return exitCode.interrupted;
    // 1 says that something is red, and nothing was tried here.
    throw error instanceof Error ? new CommandError(error.message, remedyOf(error), exitCode.usage) : error;
  }
}

async function lookAndTell(repository: Repository, options: CheckOptions): Promise<ExitCode> {
  const stateFolder = stateFolderOf(repository.root);
  const answer = lockRepository(stateFolder);
  if (!answer.isAcquired) {
    // Two that write to the graph would cross; what was found before can be read all the same.
    const { commitId } = (await chooseRunBase(repository, options.onto ?? null)).change;
    const known = options.again ? null : await lastLookAt(stateFolder, commitId);
    if (known === null)
      throw new CommandError(
        `Another Hox process (${answer.by}) has this repository open, and ${options.again ? "checks can't run at the same time" : "this commit has no results yet"}.`,
        "Close it, or wait until its run ends.",
      );
    return tell(known, true, options);
  }
  try {
    const { look, isKept } = await cancellable((ending) => lookHere(repository, ending, options));
    if (options.write) {
      await writeChecks({ root: repository.root, stateFolder }, proposedChecks(look));
      if (!options.json) printError("Wrote the checks that can run to .hox/config.toml.");
    }
    return tell(look, isKept, options);
  } finally {
    answer.lock.release();
  }
}

async function lookHere(
  repository: Repository,
  ending: AbortController,
  options: CheckOptions,
): Promise<{ readonly look: Preflight; readonly isKept: boolean }> {
  const place = await configPlace(repository.root);
  const { stateFolder, settings } = place;
  const { config, problems, untrusted } = await loadConfig(place);
  const broken = problems.find(({ level }) => level === "error");
  if (broken)
    throw new CommandError(`.hox/config.toml, line ${broken.line}: ${broken.message}`, broken.remedy);
  printUntrusted(untrusted, options);
  await repository.importGit({ keepsUnreachable: true });
  const { commitId } = (await chooseRunBase(repository, options.onto ?? null)).change;
  const emit = (event: EngineEvent): void => {
    if (event.kind === "notice") printError(shownLine(event.text));
  };
  const lfs = lfsNotice(await repository.lfsFiles(commitId));
  if (lfs !== null) printError(`${shownLine(lfs.text)} ${lfs.remedy}`);
  const gitViews = createGitViews({ repository, stateFolder, emit, base: () => null });
  return lookAtBase(
    {
      id: "check",
      stateFolder,
      repository,
      runEnded: ending,
      config,
      gitViews,
      now: Date.now,
      appendTranscript: (_, entry) => {
        if (entry.kind === "notice") printError(shownLine(entry.text));
      },
      sandbox: async () =>
        gitViews.before(
          await runSandbox(config, {
            ...{ root: repository.root, stateFolder },
            allowUnsandboxed: settings.allowUnsandboxed,
          }),
        ),
    },
    {
      commit: commitId,
      keepsBuildCaches: true,
      given: null,
      usesKept: options.again !== true,
      environment: {},
      signal: ending.signal,
      show: (activity) => {
        if (!options.json) printError(`   ${shownLine(activity)}`);
      },
      mayRun: () => Promise.resolve(),
    },
  );
}

function tell(look: Preflight, isKept: boolean, options: CheckOptions): ExitCode {
  const code = codeOf(look);
  if (options.json) {
    const { commitId, facts, installed, setUpMs, setUpFailures } = look;
    printJson({ kind: "project", commitId, ...facts, installed, setUpMs, setUpFailures, isKept });
    for (const one of look.checks)
      printJson({ kind: "check", ...one, isSlow: isSlow(one, look.timeoutSeconds) });
    printJson({ kind: "proposed", ...proposedChecks(look) });
    printJson({ kind: "end", code });
  } else for (const line of checkTable(look, isKept)) print(line);
  return code;
}

/** Green, red, or nothing that could run. */
export function codeOf(look: Preflight): ExitCode {
  const chosen = chosenChecks(look);
  if (!chosen.some(({ outcome }) => outcome !== "missing")) return exitCode.usage;
  return chosen.every(({ outcome }) => outcome === "passed") ? exitCode.done : exitCode.error;
}

/** A look for a terminal: what the project is, each check with its command and why, and what to do. */
function checkTable(look: Preflight, isKept: boolean): readonly string[] {
  const width = Math.max(0, ...look.checks.map(({ name }) => name.length));
  const proposed = proposedChecks(look);
  return [
    `${look.commitId.slice(0, 12)}${isKept ? `, result of ${new Date(look.at).toLocaleString("en-GB")}; run again with --again` : ""}`,
    ...projectLines(look).map((line) => `  ${shownLine(line)}`),
    ...look.setUpFailures.map((text) => `  setup failed: ${shownLine(text)}`),
    "",
    ...look.checks.flatMap((one) => [
      `${shownLine(one.name).padEnd(width)}  ${shownLine(formatLookedCheck(one))}${isSlow(one, look.timeoutSeconds) ? " (slow)" : ""}`,
      `${"".padEnd(width)}  ${shownLine(one.command)}  # ${shownLine(one.reason)}`,
    ]),
    ...(chosenChecks(look).length === 0
      ? [
          look.checks.length === 0
            ? "No checks found. Set fast_checks and slow_checks in [backpressure] of .hox/config.toml."
            : "None of the checks found can run here.",
        ]
      : []),
    ...(proposed.fast.length + proposed.slow.length === 0 ||
    (look.isConfigured.fast && look.isConfigured.slow)
      ? []
      : [
          "",
          "Add to .hox/config.toml (or run hox check --write):",
          "[backpressure]",
          ...checksAsToml(proposed).map(shownLine),
        ]),
  ];
}
