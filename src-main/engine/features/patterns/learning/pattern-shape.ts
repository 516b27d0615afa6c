import { z } from "zod";
import { patternCategories } from "#shared/domain/patterns/pattern-words.ts";

/** What an orchestrator says of a pattern that it proposes. */
export const patternShape = z.strictObject({
  name: z.string().min(1).max(100),
  category: z.enum(patternCategories),
  confidence: z.number().min(0).max(1),
  markdown: z.string().min(1).max(20_000),
});
