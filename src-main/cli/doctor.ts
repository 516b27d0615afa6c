import { diagnosticsText } from "../api/diagnostics.ts";
import { folderView } from "../api/folders.ts";
import { readSettings } from "../config/settings.ts";
import { defaultStateFolder } from "../config/state-folder.ts";
import { inspectParts } from "../doctor/doctor.ts";
import { installJj } from "../doctor/install-jj.ts";
import { createSandbox } from "../tools/sandbox/sandbox.ts";
import { version } from "../version.ts";
import { type CommonOptions, type ExitCode, exitCode, folderOf, writeNewFile } from "./command-line.ts";
import { print, printJson, printProgress } from "./output.ts";

interface Options extends CommonOptions {
  readonly fetchJj?: boolean;
  readonly bundle?: string;
}

/** One line per part. Without jj nothing works, so its absence is an error; the rest limits what is possible. */
export async function doctor(options: Options): Promise<ExitCode> {
  if (options.fetchJj && !(await fetchJj())) return exitCode.interrupted;
  const parts = await inspectParts();
  for (const part of parts) {
    if (options.json) {
      printJson(part);
      continue;
    }
    const line = [part.found ? "found" : "not found", part.version ?? "", part.path ?? "", part.note ?? ""];
    print(`${part.part.padEnd(14)} ${line.filter((word) => word !== "").join(", ")}`);
    if (part.remedy) print(`${" ".repeat(15)}${part.remedy}`);
  }
  if (options.bundle !== undefined) await writeBundle(options.bundle, parts, options);
  return parts.some((part) => part.part === "jj" && !part.found) ? exitCode.error : exitCode.done;
}

/** One text file with what a bug report needs of this machine and, in a repository, of its runs. */
async function writeBundle(
  to: string,
  parts: Awaited<ReturnType<typeof inspectParts>>,
  options: CommonOptions,
): Promise<void> {
  const stateFolder = defaultStateFolder();
  const view = await folderView(folderOf(options));
  const { settings } = await readSettings(stateFolder);
  const { isolation } = await createSandbox({ allowUnsandboxed: settings.allowUnsandboxed });
  const root = view.kind === "jj" ? view.root : null;
  const text = await diagnosticsText({
    ...{ version: version(), stateFolder, root, parts, isolation, settings },
    secrets: [],
  });
  const file = await writeNewFile(to, text);
  if (options.json) printJson({ kind: "bundle", file });
  else print(`\nWrote ${to}. Read it before you attach it to a report.`);
}

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

/** Ctrl-C cancels it, and leaves the old one. Returns whether it finished. */
async function fetchJj(): Promise<boolean> {
  const cancel = new AbortController();
  const interrupt = (): void => cancel.abort();
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  try {
    const version = await installJj({
      signal: cancel.signal,
      // On standard error, because standard output is for programs.
      onProgress: ({ received, total }) =>
        printProgress(
          `downloading jj: ${megabytes(received)}${total === null ? "" : ` of ${megabytes(total)}`}`,
        ),
    });
    printProgress(`downloaded jj ${version}`, { isLast: true });
    return true;
  } catch (error) {
    printProgress("", { isLast: true });
    if (!cancel.signal.aborted) throw error;
    return false;
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
}
