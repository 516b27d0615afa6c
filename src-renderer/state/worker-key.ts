/** Workers without a change of their own as things that can be selected, beside the rows of the graph. */
import type { RowKey } from "./selection-store.ts";

const prefix = "worker:";

/** The key by which a worker is selected. */
export const keyOfWorker = (name: string): RowKey => `${prefix}${name}`;

/** The worker that a key names; null for anything else. */
export const workerOfKey = (key: RowKey | null): string | null =>
  key?.startsWith(prefix) ? key.slice(prefix.length) : null;
