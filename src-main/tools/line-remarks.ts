/** Line comments in a judge's answer: requested, checked against the files, and parsed. */
import { z } from "zod";
import { type LineRemark, lineTextOf } from "#shared/domain/merge-request/line-remark.ts";
import { defineTool, type Tool, type ToolContext, ToolFailure } from "./tool-interface.ts";

const maxRemarks = 30;

/** As a model says them. */
export const lineRemarksInput = z
  .array(
    z.strictObject({
      path: z.string().min(1).max(1_000).describe("From the root of the repository."),
      line: z.int().min(1).describe("In the file of the judged commit, from 1 on."),
      last_line: z.int().min(1).optional().describe("The last of several lines."),
      text: z.string().trim().min(1).max(2_000).describe("What happens there and what should happen."),
    }),
  )
  .max(maxRemarks)
  .default([])
  .describe("What is about lines: each is shown at its line. What is about no line stays out.");

/** As they are kept. */
export const remarksOnLines = z
  .array(
    z.object({
      path: z.string(),
      line: z.number(),
      lastLine: z.number(),
      commit: z.string(),
      lineText: z.string(),
      text: z.string(),
    }),
  )
  .default([]);

/** The commit that is judged, and its files; null: there is no such text file. */
export interface JudgedFiles {
  readonly commit: string;
  readonly textOf: (path: string) => Promise<string | null>;
}

/** Of a checkout that holds nothing but the judged commit. */
export const filesOfCheckout = (commit: string, { files }: ToolContext): JudgedFiles => ({
  commit,
  async textOf(path) {
    try {
      return (await files.readText(path)).text;
    } catch (error) {
      if (error instanceof ToolFailure) return null;
      throw error;
    }
  },
});

/**
 * Like `structuredTool`, for an answer with `lines`: missing lines are refused, and the others get their
 * text.
 */
export const judgingTool = <Value extends { readonly lines: z.infer<typeof lineRemarksInput> }>(
  name: string,
  description: string,
  schema: z.ZodType<Value>,
  judged: (context: ToolContext) => JudgedFiles | null,
): Tool =>
  defineTool({
    name,
    description,
    input: schema,
    writes: true,
    onlySignals: true,
    async run(value, context) {
      const from = judged(context);
      const found: LineRemark[] = [];
      const refusals: string[] = [];
      for (const { path, line, last_line: lastLine = line, text } of from === null ? [] : value.lines) {
        const place = { path, line, lastLine };
        const words = lineTextOf((await from?.textOf(path)) ?? null, place);
        if ("refusal" in words) refusals.push(words.refusal);
        else found.push({ ...place, commit: from?.commit ?? "", lineText: words.lineText, text });
      }
      return refusals.length > 0
        ? {
            ok: false,
            error: "invalid-input",
            output: `Not taken. ${[...new Set(refusals)].join("\n")}\nCall ${name} again, with all of it.`,
          }
        : {
            ok: true,
            output: "Received.",
            signal: { kind: "structured", name, value: { ...value, lines: found } },
          };
    },
  });
