import { createHash } from "node:crypto";
import { conflictParts } from "#shared/domain/conflict/conflict.ts";

/**
 * Identifies a state of a file in conflict. Labels of its sides do not count: a rewritten side with the same
 * content leaves the file unchanged.
 * @param content as `readConflict` returns it
 */
export function conflictMark(content: Uint8Array): string {
  // One character for each byte: text or not, none is lost.
  const bytes = Buffer.from(content).toString("latin1");
  const parts = conflictParts(bytes).map((part) =>
    part.kind === "text" ? part.text : part.terms.map(({ kind, text }) => [kind, text]),
  );
  return createHash("sha256").update(JSON.stringify(parts), "latin1").digest("hex").slice(0, 32);
}
