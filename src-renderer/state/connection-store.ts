import { create } from "zustand";

export type Connection =
  | { readonly kind: "connecting" }
  | { readonly kind: "open" }
  /** Not cut, but nothing comes any more: the host is stopped, or busy beyond measure. */
  | { readonly kind: "silent" }
  /** Cut: retried automatically. `failures` counts attempts since the last success. */
  | { readonly kind: "lost"; readonly failures: number; readonly ever: boolean }
  /** The host answers and does not let this page in. */
  | { readonly kind: "refused"; readonly text: string; readonly remedy: string | null };

export const useConnection = create<{ readonly connection: Connection }>(() => ({
  connection: { kind: "connecting" },
}));
