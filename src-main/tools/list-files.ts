import { z } from "zod";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { outputLines } from "./output-lines.ts";
import type { Tool } from "./tool-interface.ts";

const limit = 1000;
const input = z.strictObject({
  path: z.string().optional().describe("A folder; default: the whole workspace."),
  recursive: z.boolean().optional().describe("Default true."),
  include_ignored: z
    .boolean()
    .optional()
    .describe("Default false: what .gitignore files leave out is left out."),
});

export const listFiles: Tool<z.infer<typeof input>> = {
  name: "list_files",
  description: `Lists files of a folder, at most ${limit}. Folders end with a slash; folders of tools are not entered, and what .gitignore files name is left out. Use it to learn what there is.`,
  input,
  writes: false,
  async run({ path = ".", recursive = true, include_ignored = false }, { files }) {
    const found = await files.list(path, { recursive, limit: limit + 1, includeIgnored: include_ignored });
    if (found.length === 0) return { ok: true, output: "(empty)" };
    const shown = found.slice(0, limit).map(shownName);
    if (found.length > limit) shown.push(`(more than ${limit}; list a folder)`);
    return { ok: true, output: outputLines(shown, "(the rest is left out; list a folder)") };
  },
};
