import { z } from "zod";
import { startOf } from "#shared/domain/cut-text.ts";
import { fileHeader } from "./file-output.ts";
import type { Tool } from "./tool-interface.ts";

const maxLines = 2000;
const maxCharacters = 60_000;

const input = z.strictObject({
  path: z.string().min(1).describe("Relative to the workspace."),
  first_line: z.int().min(1).optional().describe("1-based; default 1."),
  lines: z.int().min(1).max(maxLines).optional().describe(`Default and most: ${maxLines}.`),
});

export const readFile: Tool<z.infer<typeof input>> = {
  name: "read_file",
  description:
    "Reads a text file of the workspace. The first line of the answer names the file, the hash of its content and the " +
    "lines shown; the text follows exactly as it is in the file.",
  input,
  writes: false,
  async run({ path, first_line = 1, lines = maxLines }, { files, seen }) {
    const file = await files.readText(path);
    seen?.note(file.path, file.hash);
    const all = file.text.split("\n");
    const shown = all.slice(first_line - 1, first_line - 1 + lines).join("\n");
    const cut = shown.length > maxCharacters;
    const last = Math.min(all.length, first_line - 1 + lines);
    const detail = `lines ${first_line}-${last} of ${all.length}${cut ? `, cut after ${maxCharacters} characters` : ""}`;
    return {
      ok: true,
      output: `${fileHeader(file.path, file.hash, detail)}\n${startOf(shown, maxCharacters)}`,
    };
  },
};
