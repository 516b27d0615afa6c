import { posix } from "node:path";
import { z } from "zod";
import { placeFrom } from "#shared/domain/conflict/conflict-places.ts";
import { fewNames } from "#shared/domain/project/preflight.ts";
import { endOf, startOf } from "#shared/domain/text/format-text.ts";
import { occurrencesOf } from "#shared/domain/text/occurrences.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { fileHeader, outputLines } from "./file-listing.ts";
import { putBack } from "./protected-files.ts";
import {
  type CommandResult,
  defineTool,
  type FileAccess,
  type FileText,
  type Tool,
  type ToolErrorKind,
  ToolFailure,
  type ToolOutcome,
} from "./tool-interface.ts";

/** What every agent may do; order and wording belong to the cached prefix, so they stay the same for all. */
export const agentTools = (
  options: {
    readonly commandTimeoutSeconds?: number;
    /** Commands of the project's checks, whose output says little when they pass. */
    readonly checks?: readonly string[];
  } = {},
): readonly Tool[] => [
  ...readingTools(),
  writeFile,
  editFile,
  moveFile,
  deleteFile,
  runCommand(options.commandTimeoutSeconds, options.checks),
  alignRequest,
  reportDone,
];

const longest = 600;

/** `defaultTimeoutSeconds` comes from `loop_defaults.command_timeout_seconds`. */
const runCommand = (defaultTimeoutSeconds = 120, checks: readonly string[] = []): Tool =>
  defineTool({
    name: "run_command",
    description:
      "Runs a command in the workspace inside a sandbox. Answers with the exit code and the output, whose middle is left " +
      `out when it is long. Stops after ${defaultTimeoutSeconds} seconds unless timeout_seconds says otherwise. Use it for builds, tests and generators, not to read or write files.`,
    input: z.strictObject({
      command: z
        .string()
        .min(1)
        .describe(
          "Run by /bin/sh in the workspace, without standard input, and without network but for hosts that the user lists.",
        ),
      folder: z.string().optional().describe("Relative to the workspace."),
      timeout_seconds: z.number().positive().max(longest).optional(),
    }),
    writes: true,
    async run({ command, folder, timeout_seconds = defaultTimeoutSeconds }, context) {
      const result = await context.run({
        command,
        ...(folder === undefined ? {} : { folder }),
        environment: context.environment,
        timeoutMs: timeout_seconds * 1000,
        signal: context.signal,
        protectedFiles: context.files.protectedFiles,
      });
      const hasPassed =
        result.exitCode === 0 && result.outcome === "exited" && checks.includes(command.trim());
      return outcomeOf(hasPassed ? { ...result, output: endOfPassed(result.output) } : result);
    },
  });

/** Enough for the summary that test programs end with. */
const passedCharacters = 1_000;

function endOfPassed(output: string): string {
  if (output.length <= 2 * passedCharacters) return output;
  const end = endOf(output, passedCharacters);
  const lines = end.slice(end.indexOf("\n") + 1);
  return `… the check passed: ${output.length - lines.length} characters before its end are left out …\n${lines}`;
}

function outcomeOf(result: CommandResult): ToolOutcome {
  const seconds = (result.ms / 1000).toFixed(1);
  const refused = putBack(result.restored)
    .map((line) => `\n${line}`)
    .join("");
  const output = (summary: string): string =>
    `${summary} after ${seconds} s${refused}\n${result.output}`.trimEnd();
  const failed = (error: ToolErrorKind, summary: string): ToolOutcome => ({
    ok: false,
    error,
    output: output(summary),
  });
  if (result.outcome === "timed-out") return failed("timed-out", "Stopped by the time limit");
  if (result.outcome === "cancelled") return failed("cancelled", "Stopped on request");
  if (result.exitCode !== 0) return failed("command-failed", `Exit code ${result.exitCode ?? "unknown"}`);
  return { ok: true, output: output("Exit code 0") };
}

const writeFile = defineTool({
  name: "write_file",
  description:
    "Writes a whole text file. A file that exists must have been read in this conversation and must not have changed " +
    "since. Use it for new files and whole rewrites; for small changes use edit_file.",
  input: z.strictObject({
    path: z.string().min(1).describe("Relative to the workspace; missing folders are made."),
    content: z.string().describe("The whole text of the file."),
  }),
  writes: true,
  async run({ path, content }, { files, seen }) {
    const bytes = Buffer.byteLength(content);
    const done = (written: FileWritten): ToolOutcome => {
      seen?.note(written.path, written.hash);
      const detail = `${written.created ? "created" : "replaced"}, ${bytes} bytes`;
      return { ok: true, output: fileHeader(written.path, written.hash, detail) };
    };
    // A new file takes one way to a worker.
    const created = seen && seen.hashOf(path) === undefined ? await createFile(path, content, files) : null;
    if (created !== null) return done(created);
    const there = await textThere(path, files);
    if (there && there.text === content) {
      // A step that runs again after a restart finds its own work, and that is no reason to stop.
      seen?.note(there.path, there.hash);
      return { ok: true, output: fileHeader(there.path, there.hash, `unchanged, ${bytes} bytes`) };
    }
    // The name that was asked for may be a link or a detour; the access layer knows the one spelling.
    const known = seen?.hashOf(there?.path ?? path) ?? null;
    return done(await files.writeText(path, content, seen ? known : undefined));
  },
});

type FileWritten = Awaited<ReturnType<FileAccess["writeText"]>>;

/** Null where something is there or the path is refused: what comes next says why. */
async function createFile(path: string, content: string, files: FileAccess): Promise<FileWritten | null> {
  try {
    return await files.writeText(path, content, null);
  } catch (error) {
    if (error instanceof ToolFailure && error.kind === "changed-since-read") return null;
    throw error;
  }
}

/** Null where there is no text file to read: `writeText` says why, if that matters. */
async function textThere(path: string, files: FileAccess): Promise<FileText | null> {
  try {
    return await files.readText(path);
  } catch (error) {
    if (error instanceof ToolFailure) return null;
    throw error;
  }
}

const editFile = defineTool({
  name: "edit_file",
  description:
    "Replaces a text that occurs exactly once in a file. The file must have been read in this conversation and must " +
    "not have changed since, except to replace a place in conflict that your prompt shows. Use it for every change to a " +
    "part of a file.",
  input: z.strictObject({
    path: z.string().min(1),
    old_text: z
      .string()
      .min(1)
      .describe(
        "Must occur exactly once in the file, spaces and line ends included. The first line of a place in conflict " +
          "(`<<<<<<< conflict 1 of 2`) means all of it.",
      ),
    new_text: z.string(),
  }),
  writes: true,
  async run({ path, old_text, new_text }, { files, seen }) {
    const file = await files.readText(path);
    const place = placeFrom(file.text, old_text);
    const isKnown = !seen || seen.hashOf(file.path) === file.hash;
    if (!isKnown && place === null) {
      const reason = seen?.hashOf(file.path) === undefined ? "was not read yet" : "changed since you read it";
      throw new ToolFailure("changed-since-read", `${path} ${reason}. Read it first.`);
    }
    const from = place ?? old_text;
    const [at, ...others] = occurrencesOf(file.text, from);
    if (at === undefined || others.length > 0) {
      const matches = at === undefined ? 0 : others.length + 1;
      const advice =
        matches === 0
          ? "Read the file again and copy the text exactly."
          : "Take more of the lines around it.";
      throw new ToolFailure("not-unique", `old_text occurs ${matches} times in ${path}. ${advice}`);
    }
    // Of a place, whole lines are replaced by whole lines.
    const to = place === null ? new_text : new_text.replace(/\n$/u, "");
    if (from === to) throw new ToolFailure("invalid-input", "old_text and new_text are the same.");
    const end = at + from.length + (place !== null && to === "" ? 1 : 0);
    const text = file.text.slice(0, at) + to + file.text.slice(end);
    const written = await files.writeText(path, text, file.hash);
    const line = file.text.slice(0, at).split("\n").length;
    // Of the rest of the file nothing is known.
    if (!isKnown) return { ok: true, output: `${shownName(path)} is edited at line ${line}.` };
    seen?.note(written.path, written.hash);
    return { ok: true, output: fileHeader(written.path, written.hash, `edited at line ${line}`) };
  },
});

const alignRequest = defineTool({
  name: "align_request",
  description:
    "Asks your orchestrator. Use it when the task leaves something open that others rely on, or when a decision seems " +
    "wrong: never work around a decision.",
  input: z.strictObject({
    question: z.string().min(1).max(4000),
    options: z
      .array(z.string().min(1))
      .max(6)
      .optional()
      .describe("Answers to choose from, where there are some."),
    blocking: z.boolean().optional().describe("Default true: you cannot continue without an answer."),
  }),
  writes: true,
  onlySignals: true,
  async run({ question, options = [], blocking = true }) {
    return {
      ok: true,
      output: blocking
        ? "Your question was sent. The answer comes in the next message."
        : "Asked. Continue; the answer comes later.",
      signal: { kind: "align-request", question, options, blocking },
    };
  },
});

const reportDone = defineTool({
  name: "report_done",
  description:
    "Ends the task. Use it once, when nothing is left to do. It counts only when all checks pass afterwards; otherwise you " +
    "get their output and continue.",
  input: z.strictObject({
    summary: z
      .string()
      .min(1)
      .max(4000)
      .describe("What was done and how it was checked, in a few sentences."),
    blocked: z.string().min(1).max(4000).optional().describe("Only if the task cannot be done: why."),
  }),
  writes: true,
  onlySignals: true,
  async run({ summary, blocked }) {
    return blocked === undefined
      ? { ok: true, output: "Reported.", signal: { kind: "done", summary } }
      : { ok: true, output: "Reported as blocked.", signal: { kind: "blocked", reason: blocked } };
  },
});

const deleteFile = defineTool({
  name: "delete_file",
  description:
    "Deletes a file; of a link the link, not the file that it leads to. Use it for what your task makes superfluous, " +
    "instead of a command.",
  input: z.strictObject({
    path: z.string().min(1).describe("A file or a link, relative to the workspace."),
  }),
  writes: true,
  async run(asked, { files }) {
    const { path } = await files.remove(asked.path);
    return { ok: true, output: `${shownName(path)} is deleted.` };
  },
});

const moveFile = defineTool({
  name: "move_file",
  description:
    "Moves or renames a file. Use it instead of writing the file again elsewhere; what imports it by its old path is yours to change.",
  input: z.strictObject({
    from: z.string().min(1).describe("A file, relative to the workspace."),
    to: z.string().min(1).describe("Its new path, where nothing is yet; missing folders are made."),
  }),
  writes: true,
  async run(asked, { files, seen }) {
    const { from, to } = await files.move(asked.from, asked.to);
    const hash = seen?.hashOf(from);
    if (hash !== undefined) seen?.note(to, hash);
    return { ok: true, output: `${shownName(from)} is now ${shownName(to)}.` };
  },
});

/** For those who plan, judge and decide: they look and change nothing. */
export const readingTools = (): readonly Tool[] => [readFile, listFiles, findFiles, search];

const searchLimit = 100;
const search = defineTool({
  name: "search",
  description: `Finds lines in the files of the workspace, at most ${searchLimit}, as path:line:text, lines around them as path-line-text. Use it to find where something is named, before you read files.`,
  input: z.strictObject({
    pattern: z.string().min(1).max(500),
    path: z.string().optional().describe("A file or folder; default: the whole workspace."),
    regex: z
      .boolean()
      .optional()
      .describe("Default false: the pattern is plain text. True: a JavaScript expression."),
    ignore_case: z.boolean().optional().describe("Default false."),
    context: z.int().min(0).max(10).optional().describe("Lines before and after each match; default 0."),
    files: z.string().min(1).max(500).optional().describe("Only files that fit this pattern, as in *.ts."),
    include_ignored: z
      .boolean()
      .optional()
      .describe("Default false: what .gitignore files name is left out."),
  }),
  writes: false,
  async run(asked, { files }) {
    const {
      pattern,
      path = ".",
      regex = false,
      ignore_case = false,
      context = 0,
      include_ignored = false,
    } = asked;
    const { matches: found, passedOver } = await files.search(pattern, {
      path,
      regex,
      limit: searchLimit + 1,
      ignoreCase: ignore_case,
      context,
      files: asked.files ?? null,
      includeIgnored: include_ignored,
    });
    const large =
      passedOver.length === 0
        ? []
        : [
            `(not searched, because they are large: ${fewNames(passedOver.map(shownName), 10)}; give one as path)`,
          ];
    if (found.length === 0) return { ok: true, output: ["(no match)", ...large].join("\n") };
    const shown = found.slice(0, searchLimit).flatMap((match, at) => {
      const name = shownName(match.path);
      const line = (number: number, text: string, sign: string): string =>
        `${name}${sign}${number}${sign}${text}`;
      return [
        ...(context > 0 && at > 0 ? ["--"] : []),
        ...match.before.map((text, index) => line(match.line - match.before.length + index, text, "-")),
        line(match.line, match.text, ":"),
        ...match.after.map((text, index) => line(match.line + 1 + index, text, "-")),
      ];
    });
    shown.push(...large);
    if (found.length > searchLimit) shown.push(`(more than ${searchLimit}; use a narrower pattern or path)`);
    return {
      ok: true,
      output: outputLines(shown, "(the rest is left out; use a narrower pattern, path or context)"),
    };
  },
});

const maxLines = 2000;
const maxCharacters = 60_000;

const readFile = defineTool({
  name: "read_file",
  description:
    "Reads a text file of the workspace. The first line of the answer names the file, the hash of its content and the " +
    "lines shown; the text follows exactly as it is in the file. Long files are read part by part. A picture (png, jpg, " +
    "gif, webp) is shown to you. Use it before you change a file.",
  input: z.strictObject({
    path: z.string().min(1).describe("Relative to the workspace."),
    first_line: z.int().min(1).optional().describe("1-based; default 1."),
    lines: z.int().min(1).max(maxLines).optional().describe(`Default and most: ${maxLines}.`),
  }),
  writes: false,
  async run({ path, first_line = 1, lines = maxLines }, { files, seen }) {
    seen?.forget(posix.normalize(path));
    const picture = await files.readPicture(path);
    if (picture !== null) {
      const { mediaType, data, bytes } = picture;
      return {
        ok: true,
        output: `${shownName(picture.path)}: ${mediaType}, ${bytes} bytes`,
        images: [{ mediaType, data }],
      };
    }
    const file = await files.readText(path);
    seen?.note(file.path, file.hash);
    const all = file.text.split("\n");
    const { shown, last, isCut } = portion(all, first_line - 1, lines);
    const rest = isCut
      ? `; line ${last} is cut after ${maxCharacters} characters`
      : last < all.length
        ? `; continue with first_line ${last + 1}`
        : "";
    const detail = `lines ${first_line}-${last} of ${all.length}${rest}`;
    return { ok: true, output: `${fileHeader(file.path, file.hash, detail)}\n${shown}` };
  },
});

/** Whole lines up to the limit; of a line that is too long its beginning. */
function portion(
  all: readonly string[],
  from: number,
  lines: number,
): { readonly shown: string; readonly last: number; readonly isCut: boolean } {
  let size = 0;
  let end = from;
  for (; end < Math.min(all.length, from + lines); end++) {
    size += (all[end]?.length ?? 0) + 1;
    if (size > maxCharacters + 1) break;
  }
  const isCut = end === from && from < all.length;
  const shown = isCut ? startOf(all[from] ?? "", maxCharacters) : all.slice(from, end).join("\n");
  return { shown, last: isCut ? from + 1 : Math.max(end, Math.min(from, all.length)), isCut };
}

const findFilesLimit = 1000;
const findFiles = defineTool({
  name: "glob",
  description: `Finds files by a pattern of their paths, at most ${findFilesLimit}. Use it when you know a name, or a part of one, and not the folder.`,
  input: z.strictObject({
    pattern: z
      .string()
      .min(1)
      .max(500)
      .describe("As in a shell: *.ts, src/**/*.{ts,tsx}, **/test_?.py. Without a slash: in every folder."),
    path: z
      .string()
      .optional()
      .describe("A folder; default: the whole workspace. The pattern is relative to it."),
    ignore_case: z.boolean().optional().describe("Default false."),
    include_ignored: z
      .boolean()
      .optional()
      .describe("Default false: what .gitignore files name is left out."),
  }),
  writes: false,
  async run({ pattern, path = ".", ignore_case = false, include_ignored = false }, { files }) {
    const found = await files.find(pattern, {
      path,
      ignoreCase: ignore_case,
      includeIgnored: include_ignored,
      limit: findFilesLimit + 1,
    });
    if (found.length === 0) return { ok: true, output: "(no file)" };
    const shown = found.slice(0, findFilesLimit).map(shownName);
    if (found.length > findFilesLimit)
      shown.push(`(more than ${findFilesLimit}; use a narrower pattern or path)`);
    return { ok: true, output: outputLines(shown, "(the rest is left out; use a narrower pattern or path)") };
  },
});

const limit = 1000;
const listFiles = defineTool({
  name: "list_files",
  description: `Lists files of a folder, at most ${limit}. Folders end with a slash; folders of tools are not entered, and what .gitignore files name is left out. Use it to learn what there is.`,
  input: z.strictObject({
    path: z.string().optional().describe("A folder; default: the whole workspace."),
    recursive: z.boolean().optional().describe("Default true."),
    include_ignored: z
      .boolean()
      .optional()
      .describe("Default false: what .gitignore files leave out is left out."),
  }),
  writes: false,
  async run({ path = ".", recursive = true, include_ignored = false }, { files }) {
    const found = await files.list(path, { recursive, limit: limit + 1, includeIgnored: include_ignored });
    if (found.length === 0) return { ok: true, output: "(empty)" };
    const shown = found.slice(0, limit).map(shownName);
    if (found.length > limit) shown.push(`(more than ${limit}; list a folder)`);
    return { ok: true, output: outputLines(shown, "(the rest is left out; list a folder)") };
  },
});

/** Only `run_command`, for validators, who check but do not write. */
export const commandTool = (
  { commandTimeoutSeconds }: { readonly commandTimeoutSeconds: number },
  checks: readonly string[],
): Tool => runCommand(commandTimeoutSeconds, checks);
