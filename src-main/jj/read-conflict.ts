import { createHash } from "node:crypto";
import { conflictParts } from "#shared/domain/conflict/conflict-text.ts";

/**
 * Tells one state of a file in conflict from any other. What jj calls its sides does not count: a side that is rewritten
 * and says the same leaves the file as it was.
 * @param content as `readConflict` answers it
 */
export function conflictMark(content: Uint8Array): string {
  // One character for each byte: text or not, none is lost.
  const bytes = Buffer.from(content).toString("latin1");
  const parts = conflictParts(bytes).map((part) =>
    part.kind === "text" ? part.text : part.terms.map(({ kind, text }) => [kind, text]),
  );
  return createHash("sha256").update(JSON.stringify(parts), "latin1").digest("hex").slice(0, 32);
}
