import { z } from "zod";
import { fewNames } from "#shared/domain/project/known-failures.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { outputLines } from "./output-lines.ts";
import type { Tool } from "./tool-interface.ts";

const limit = 200;
const input = z.strictObject({
  pattern: z.string().min(1).max(500),
  path: z.string().optional().describe("A file or folder; default: the whole workspace."),
  regex: z
    .boolean()
    .optional()
    .describe("Default false: the pattern is plain text. True: a JavaScript expression."),
  ignore_case: z.boolean().optional().describe("Default false."),
  context: z.int().min(0).max(10).optional().describe("Lines before and after each match; default 0."),
  files: z.string().min(1).max(500).optional().describe("Only files that fit this pattern, as in *.ts."),
  include_ignored: z.boolean().optional().describe("Default false: what .gitignore files name is left out."),
});

export const search: Tool<z.infer<typeof input>> = {
  name: "search",
  description: `Finds lines in the files of the workspace, at most ${limit}, as path:line:text, lines around them as path-line-text. Use it to find where something is named, before you read files.`,
  input,
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
      limit: limit + 1,
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
    const shown = found.slice(0, limit).flatMap((match, at) => {
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
    if (found.length > limit) shown.push(`(more than ${limit}; use a narrower pattern or path)`);
    return {
      ok: true,
      output: outputLines(shown, "(the rest is left out; use a narrower pattern, path or context)"),
    };
  },
};
