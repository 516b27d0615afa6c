import { closeSync, openSync, readSync, statSync } from "node:fs";

/** What the files of a journal tell before SQLite joins them. */
export interface FoundFiles {
  /** The file was cut to nothing, or is gone while what is ahead of it stands there: SQLite would begin a new one. */
  readonly hasLostBeginning: boolean;
  /** The write-ahead log is gone or cut off in the middle of a page: SQLite would go on without its end. */
  readonly hasLostEnd: boolean;
  /** The process that wrote last did not close it. */
  readonly isLeftOpen: boolean;
  /** `application_id` as the file itself says it, without what is ahead of it. */
  readonly mark: number;
}

/**
 * Marks of an open journal, kept as `application_id`: the first stands in the file since it was opened, the second was
 * written behind it. So a file with either has a write-ahead log that holds something.
 */
export const openMarks = { inFile: 0x686f7801, ahead: 0x686f7802 } as const;

// The file format of SQLite: offsets in the first page, and the sizes of what a write-ahead log is made of.
const pageSizeAt = 16;
const applicationIdAt = 68;
const headerBytes = 100;
const logHeaderBytes = 32;
const frameHeaderBytes = 24;

/** Reads without changing anything, so that files that are damaged can still be set aside as they were found. */
export function inspectFiles(path: string): FoundFiles {
  const size = sizeOf(path);
  const log = sizeOf(`${path}-wal`);
  if (size === null || size < headerBytes)
    return {
      hasLostBeginning: size !== null || (log ?? 0) > 0,
      hasLostEnd: false,
      isLeftOpen: false,
      mark: 0,
    };
  const header = Buffer.alloc(headerBytes);
  const file = openSync(path, "r");
  try {
    readSync(file, header, 0, headerBytes, 0);
  } finally {
    closeSync(file);
  }
  const mark = header.readUInt32BE(applicationIdAt);
  const storedSize = header.readUInt16BE(pageSizeAt);
  const frame = frameHeaderBytes + (storedSize === 1 ? 0x10000 : storedSize);
  const isMarkedOpen = mark === openMarks.inFile || mark === openMarks.ahead;
  const isTorn = (log ?? 0) > 0 && ((log ?? 0) - logHeaderBytes) % frame !== 0;
  return {
    hasLostBeginning: false,
    hasLostEnd: (isMarkedOpen && (log ?? 0) < logHeaderBytes + frame) || isTorn,
    isLeftOpen: (log ?? 0) > 0,
    mark,
  };
}

function sizeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.size ?? null;
}
