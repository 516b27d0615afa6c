/** `hox patterns edit`: a pattern's text in the user's editor. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { runEditor } from "../processes/run-editor.ts";
import { approveText } from "./approve-pattern.ts";
import {
  CommandError,
  type CommonOptions,
  type ExitCode,
  exitCode,
  invocationFolder,
} from "./command-line.ts";
import { print, printError, printJson } from "./output.ts";
import { patternNamed } from "./patterns.ts";
import { withRunClient } from "./run-client.ts";

interface EditOptions extends CommonOptions {
  readonly file?: string;
  readonly yes?: boolean;
}

export async function editPattern(id: string, options: EditOptions): Promise<ExitCode> {
  const { id: named, text, name } = await withRunClient(options, (client) => patternNamed(client, id));
  // Nothing is locked during editing: the approval detects changes made meanwhile.
  const own = options.file === undefined ? await writtenIn(name, text) : null;
  const markdown = own?.text ?? (await readGiven(options.file ?? ""));
  if (markdown.trim() === text.trim()) {
    await own?.remove();
    if (options.json) printJson({ kind: "done", unchanged: named });
    else print(`${shownName(named)} was not changed.`);
    return exitCode.done;
  }
  try {
    const code = await withRunClient(options, (client) =>
      approveText(client, { id: named, markdown }, options),
    );
    await own?.remove();
    return code;
  } catch (error) {
    if (own)
      printError(
        `Your text is kept in ${own.file}. To use it: hox patterns edit ${named} --file ${own.file}`,
      );
    throw error;
  }
}

async function readGiven(file: string): Promise<string> {
  try {
    return await readFile(resolve(invocationFolder(), file), "utf8");
  } catch (error) {
    throw new CommandError(
      `${file} cannot be read: ${(error as Error).message}`,
      "Give a file with the pattern's text.",
      exitCode.usage,
    );
  }
}

async function writtenIn(name: string, text: string) {
  const editor = process.env.VISUAL || process.env.EDITOR;
  if (!editor)
    throw new CommandError(
      "No editor is configured.",
      "Set EDITOR, or use a file: hox patterns edit <id> --file <file>",
      exitCode.usage,
    );
  const folder = await mkdtemp(join(tmpdir(), "hox-pattern-"));
  const file = join(folder, `${name}.md`);
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  await writeFile(file, text);
  const problem = await runEditor(editor, file);
  if (problem !== null) {
    await remove();
    throw new CommandError(`The editor failed: ${problem}`, "Nothing was changed.");
  }
  return { file, text: await readFile(file, "utf8"), remove };
}
