import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onlyVisible } from "./only-visible.ts";
import { replacingEditor } from "./replacing-editor.ts";
import { withStaging } from "./unpublished.ts";

/** The new description of a change. */
export interface NewText {
  readonly commit: string;
  readonly change: string;
  readonly text: string;
}

/** jj describes several changes in one operation only through an editor, which drops its own comment lines and empty texts. */
export const canDescribeTogether = (texts: readonly NewText[]): boolean =>
  texts.every(({ text }) => !/^JJ:/m.test(text) && text.trim() !== "");

/**
 * Describes several changes with one process.
 * @param run runs the command with the editor that it is given
 */
export const describeTogether = <T>(
  texts: readonly NewText[],
  run: (args: readonly string[], editor: readonly string[]) => Promise<T>,
): Promise<T> =>
  withStaging(async (folder) => {
    const staged = join(folder, "descriptions");
    await writeFile(
      staged,
      texts.map(({ commit, text }) => `JJ: describe ${commit.slice(0, 12)} -------\n${text}\n`).join(""),
    );
    const commits = texts.flatMap(({ commit }) => ["-r", onlyVisible(commit)]);
    return run(["describe", ...commits], await replacingEditor(staged, folder));
  });
