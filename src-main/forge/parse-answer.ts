import type { z } from "zod";
import { type ForgeKind, forgeNames } from "#shared/domain/forge/forge-facts.ts";
import { ForgeError } from "./forge-error.ts";

/**
 * What a forge answered, as far as Hox reads it.
 * @throws ForgeError `malformed`, which names the field and repeats nothing of the answer
 */
export function parseAnswer<Output>(forge: ForgeKind, schema: z.ZodType<Output>, answer: unknown): Output {
  const result = schema.safeParse(answer);
  if (result.success) return result.data;
  const where = result.error.issues[0]?.path.map(String).join(".") ?? "";
  throw new ForgeError(
    "malformed",
    `${forgeNames[forge]} sent an answer that Hox does not understand${where === "" ? "" : ` (${where})`}.`,
    "Check for a proxy or login page that answers instead of the forge, and that its version is supported.",
  );
}
