import { createHash } from "node:crypto";

/** Tells one state of a file in conflict from any other. @param content as `readConflict` answers it */
export const conflictMark = (content: Uint8Array): string =>
  createHash("sha256").update(content).digest("hex").slice(0, 32);
