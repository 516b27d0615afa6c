import { z } from "zod";
import { occurrencesOf } from "#shared/domain/text/occurrences.ts";
import { fileHeader } from "./file-output.ts";
import { ToolFailure } from "./tool-failure.ts";
import type { Tool } from "./tool-interface.ts";

const input = z.strictObject({
  path: z.string().min(1),
  old_text: z.string().min(1).describe("Must occur exactly once in the file, spaces and line ends included."),
  new_text: z.string(),
});

export const editFile: Tool<z.infer<typeof input>> = {
  name: "edit_file",
  description:
    "Replaces a text that occurs exactly once in a file. The file must have been read in this conversation and must " +
    "not have changed since. Use it for every change to a part of a file.",
  input,
  writes: true,
  async run({ path, old_text, new_text }, { files, seen }) {
    const file = await files.readText(path);
    if (seen && seen.hashOf(file.path) !== file.hash) {
      const reason = seen.hashOf(file.path) === undefined ? "was not read yet" : "changed since you read it";
      throw new ToolFailure("changed-since-read", `${path} ${reason}. Read it first.`);
    }
    const [at, ...others] = occurrencesOf(file.text, old_text);
    if (at === undefined || others.length > 0) {
      const matches = at === undefined ? 0 : others.length + 1;
      const advice =
        matches === 0
          ? "Read the file again and copy the text exactly."
          : "Take more of the lines around it.";
      throw new ToolFailure("not-unique", `old_text occurs ${matches} times in ${path}. ${advice}`);
    }
    if (old_text === new_text) throw new ToolFailure("invalid-input", "old_text and new_text are the same.");
    const text = file.text.slice(0, at) + new_text + file.text.slice(at + old_text.length);
    const written = await files.writeText(path, text, file.hash);
    seen?.note(written.path, written.hash);
    const line = file.text.slice(0, at).split("\n").length;
    return { ok: true, output: fileHeader(written.path, written.hash, `edited at line ${line}`) };
  },
};
