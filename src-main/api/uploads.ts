/** Files on their way from a window, in parts, for none of them fits into one message. They stand in memory alone. */
import { randomUUID } from "node:crypto";
import { Refusal } from "./refusal.ts";

/** The one that was begun longest ago makes way for another. */
const maxUploads = 2;

export interface Uploads {
  /** @returns its id */
  begin(name: string, bytes: number): string;
  add(id: string, part: Uint8Array): void;
  /** The whole file, once. */
  take(id: string): { readonly name: string; readonly content: Uint8Array };
}

interface Upload {
  readonly name: string;
  readonly content: Uint8Array;
  filled: number;
}

export function createUploads(): Uploads {
  const all = new Map<string, Upload>();
  const found = (id: string): Upload => {
    const one = all.get(id);
    if (!one) throw new Refusal("This upload is no longer active.", "Open it again.");
    return one;
  };
  return {
    begin(name, bytes) {
      const id = randomUUID();
      all.set(id, { name, content: new Uint8Array(bytes), filled: 0 });
      const [oldest] = all.keys();
      if (all.size > maxUploads && oldest !== undefined) all.delete(oldest);
      return id;
    },
    add(id, part) {
      const one = found(id);
      if (one.filled + part.byteLength > one.content.byteLength) {
        all.delete(id);
        throw new Refusal(`${one.name} grew while it was being read.`, "Open it again.");
      }
      one.content.set(part, one.filled);
      one.filled += part.byteLength;
    },
    take(id) {
      const one = found(id);
      all.delete(id);
      if (one.filled < one.content.byteLength)
        throw new Refusal(`${one.name} was not fully uploaded.`, "Open it again.");
      return one;
    },
  };
}
