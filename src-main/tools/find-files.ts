import { z } from "zod";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { outputLines } from "./output-lines.ts";
import type { Tool } from "./tool-interface.ts";

const limit = 1000;
const input = z.strictObject({
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
  include_ignored: z.boolean().optional().describe("Default false: what .gitignore files name is left out."),
});

export const findFiles: Tool<z.infer<typeof input>> = {
  name: "glob",
  description: `Finds files by a pattern of their paths, at most ${limit}. Use it when you know a name, or a part of one, and not the folder.`,
  input,
  writes: false,
  async run({ pattern, path = ".", ignore_case = false, include_ignored = false }, { files }) {
    const found = await files.find(pattern, {
      path,
      ignoreCase: ignore_case,
      includeIgnored: include_ignored,
      limit: limit + 1,
    });
    if (found.length === 0) return { ok: true, output: "(no file)" };
    const shown = found.slice(0, limit).map(shownName);
    if (found.length > limit) shown.push(`(more than ${limit}; use a narrower pattern or path)`);
    return { ok: true, output: outputLines(shown, "(the rest is left out; use a narrower pattern or path)") };
  },
};
