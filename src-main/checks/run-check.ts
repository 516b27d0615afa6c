import type { PrintedReport } from "#shared/domain/project/failure-report.ts";
import type { BaseOutcome } from "#shared/domain/project/preflight.ts";
import { putBack } from "../tools/protected-files.ts";
import { type CommandResult, type PlacedCommand, ToolFailure } from "../tools/tool-interface.ts";
import { runInWorker, TextRefused } from "../worker-thread/run-in-worker.ts";

/** The result of one check, before any comparison. */
export interface CheckRun extends BaseOutcome {
  readonly ms: number;
  readonly output: string;
}

/** Maximum of a check's output that is kept for reading its report; longer output has none. */
const maxReportLength = 2_000_000;

/** Runs one check in the sandbox. One that could not run did not pass, and says why. */
export async function runCheck(options: {
  /** Runs a command where the checked files are. */
  readonly run: (command: PlacedCommand) => Promise<CommandResult>;
  /** The folder that paths in its report are relative to, once it has run. */
  readonly location: () => string;
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  readonly protectedFiles?: readonly string[] | undefined;
  readonly signal: AbortSignal;
}): Promise<CheckRun> {
  const { run, location, command, environment, timeoutSeconds, protectedFiles, signal } = options;
  let printed = "";
  try {
    const result = await run({
      command,
      environment,
      timeoutMs: timeoutSeconds * 1000,
      signal,
      ...(protectedFiles ? { protectedFiles } : {}),
      onOutput(text) {
        if (printed.length <= maxReportLength) printed += text;
      },
    });
    const outcome = await outcomeOf(result, { output: printed, workspace: location(), command });
    return { ...outcome, ms: result.ms, output: failureText(result, outcome) };
  } catch (error) {
    // A check that could not run must not pass; the reason replaces its output.
    if (!(error instanceof ToolFailure)) throw error;
    return { outcome: "missing", failures: null, ms: 0, output: error.message };
  }
}

/** A report that takes too long to read counts as unknown. */
async function outcomeOf(
  result: CommandResult,
  report: Omit<PrintedReport, "exitCode">,
): Promise<BaseOutcome> {
  if (result.outcome === "timed-out" || result.outcome === "missing")
    return { outcome: result.outcome, failures: null };
  const exitCode = result.outcome === "exited" ? result.exitCode : null;
  return runInWorker("readReport", { ...report, exitCode }, { what: "the output of a check" }).catch(
    (error) => {
      if (!(error instanceof TextRefused)) throw error;
      return exitCode === 0 ? { outcome: "passed", failures: null } : { outcome: "failed", failures: null };
    },
  );
}

/** What a check leaves in protected places is taken away, and that says nothing about the work it checked. */
function failureText(result: CommandResult, { outcome }: BaseOutcome): string {
  const { exitCode, restored } = result;
  // Some programs fail without a word, and an agent that reads nothing repairs nothing.
  const output =
    result.output === "" && (outcome === "failed" || outcome === "could-not-run")
      ? `It printed nothing and ended with ${exitCode === null ? "no exit code" : `exit code ${exitCode}`}.`
      : result.output;
  return restored.length === 0 ? output : `${output.trimEnd()}\n${putBack(restored).join("\n")}`.trimStart();
}

/** Programs that only make the way for the one that checks. */
const preparing =
  /^(?:\[|\[\[|:|test|true|false|set|export|source|\.|mkdir|rm|cp|mv|touch|echo|printf|cat|tee|head|tail|grep|sleep|exit|ulimit|command|which|fi|done|else|esac)(?:\s|$)|^(?:npm|pnpm|yarn|bun) (?:ci|i|install)\b|^pip3? install\b|^cmake (?:-S|-B|--build)\b/u;

/** The programs of a command line in order, without what the shell puts around them. */
function programsIn(command: string): readonly string[] {
  const parts: string[] = [""];
  const word = /"(?:\\.|[^"\\])*"|'[^']*'|\\.|&&|\|\||[;|&\n(){}]|[^"'\\;|&\n(){}]+|["']/gu;
  for (const [piece] of command.matchAll(word)) {
    if (/^(?:&&|\|\||[;|&\n(){}])$/u.test(piece)) parts.push("");
    else parts[parts.length - 1] += piece;
  }
  return parts
    .map((part) =>
      part
        .trim()
        .replace(
          /^(?:(?:if|then|do|while|until|else|!|time|exec|env|nice|sudo|\w+=(?:"[^"]*"|'[^']*'|\S*)) )+/u,
          "",
        )
        .trim(),
    )
    .filter((part) => part !== "");
}

/**
 * `npm run --silent lint` reads as `lint` on a small badge; any other command as its first two words. Of several programs the
 * last that checks names all: `{ test -d node_modules || npm ci; } && npm run test` is `test`.
 */
export function checkName(command: string): string {
  const [, folder, inFolder] = /^cd (\S+) && (.+)$/u.exec(command) ?? [];
  if (folder !== undefined && inFolder !== undefined) return `${folder}: ${checkName(inFolder)}`;
  const programs = programsIn(command);
  const meant = programs.findLast((one) => !preparing.test(one) && !/^cd\s/u.test(one));
  return nameOfProgram(meant ?? programs[0] ?? command);
}

function nameOfProgram(command: string): string {
  const words = command.split(/\s+/u).filter((word) => !word.startsWith("-"));
  const [, module] = /^\S*python\S* -m (\S+)/u.exec(command) ?? [];
  if (module !== undefined) return module;
  const runs = words.indexOf("run");
  return words[0] === "npm" && runs === 1 && words[2] ? words[2] : words.slice(0, 2).join(" ");
}
