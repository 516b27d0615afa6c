/** Which repository a call is for: what it names, else what its window shows. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Line } from "./viewers.ts";

export interface MeantRepository {
  /** Its root; null: none. */
  root(): string | null;
  /** The window that asks; undefined: none. */
  line(): Line | undefined;
  /** @param of the root that the call names; null: none */
  during<T>(call: { readonly line: Line | undefined; readonly of: string | null }, work: () => T): T;
}

export function createMeantRepository(shownBy: (line?: Line) => string | null): MeantRepository {
  // Handlers ask at any depth, and others are carried out between their steps.
  const meant = new AsyncLocalStorage<{ readonly line: Line | undefined; readonly root: string | null }>();
  return {
    root() {
      const call = meant.getStore();
      return call ? call.root : shownBy();
    },
    line: () => meant.getStore()?.line,
    during: ({ line, of }, work) => meant.run({ line, root: of ?? shownBy(line) }, work),
  };
}
