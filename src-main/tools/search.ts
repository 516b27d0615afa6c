import { z } from "zod";
import { shownName } from "#shared/domain/shown-text.ts";
import type { Tool } from "./tool-interface.ts";

const limit = 200;
const input = z.strictObject({
  pattern: z.string().min(1).max(500),
  path: z.string().optional().describe("A file or folder; default: the whole workspace."),
  regex: z
    .boolean()
    .optional()
    .describe("Default false: the pattern is plain text. True: a JavaScript expression."),
});

export const search: Tool<z.infer<typeof input>> = {
  name: "search",
  description: `Finds lines in the files of the workspace, at most ${limit}, as path:line:text. Case matters.`,
  input,
  writes: false,
  async run({ pattern, path = ".", regex = false }, { files }) {
    const found = await files.search(pattern, { path, regex, limit: limit + 1 });
    if (found.length === 0) return { ok: true, output: "(no match)" };
    const shown = found
      .slice(0, limit)
      .map((match) => `${shownName(match.path)}:${match.line}:${match.text}`);
    if (found.length > limit) shown.push(`(more than ${limit}; use a narrower pattern or path)`);
    return { ok: true, output: shown.join("\n") };
  },
};
