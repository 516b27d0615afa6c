import { z } from "zod";
import type { Tool } from "../../src-main/tools/tool-interface.ts";
import { commentRelations } from "../../src-shared/domain/archangel/archangel.ts";
import { priorities } from "../../src-shared/domain/change-metadata/metadata.ts";

interface BenchComment {
  readonly path: string;
  readonly line: number;
  readonly relation: (typeof commentRelations)[number];
}

/** What one archangel said of one change. */
export interface BenchStatements {
  readonly comments: BenchComment[];
  suggestions: number;
}

const words = z.string().min(1).max(4_000);

const comment = z.strictObject({
  path: z.string().min(1),
  line: z.number().int().min(1).describe("In the file after the change, from 1 on."),
  text: words,
  relation: z.enum(commentRelations),
  step: z.string().max(200).optional(),
});
const suggestion = z.strictObject({
  suggestion: words,
  context: words,
  priority: z.enum(priorities),
  files: z.array(z.string()).max(100).optional(),
});

/** The tools that an archangel answers with; what they are called with is added to `said`. */
export const answerTools = (statements: BenchStatements): readonly Tool[] => [
  {
    name: "comment",
    description: "Says something of one line. One call for one matter.",
    input: comment,
    writes: true,
    async run(input) {
      const { path, line, relation } = comment.parse(input);
      statements.comments.push({ path, line, relation });
      return { ok: true, output: "Noted." };
    },
  },
  {
    name: "suggest_task",
    description: "Says what somebody should do that no line of this change stands for.",
    input: suggestion,
    writes: true,
    async run() {
      statements.suggestions += 1;
      return { ok: true, output: "Noted." };
    },
  },
  {
    name: "nothing_to_say",
    description: "The usual answer: nothing here deserves a word.",
    input: z.strictObject({}),
    writes: true,
    onlySignals: true,
    run: async () => ({
      ok: true,
      output: "Received.",
      signal: { kind: "structured", name: "nothing_to_say", value: null },
    }),
  },
];
