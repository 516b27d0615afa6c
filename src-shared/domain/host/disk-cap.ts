/** How much disk the workspaces of a run may take. */

/** Bytes that one workspace, and all of a run together, may take; null is no cap. */
export interface DiskCaps {
  readonly each: number | null;
  readonly all: number | null;
}

export type DiskState =
  | { readonly kind: "ok" }
  /** `of`: whose cap it is. `bytes` and `cap` in bytes. */
  | {
      readonly kind: "near" | "full";
      readonly of: keyof DiskCaps;
      readonly bytes: number;
      readonly cap: number;
    };

/** Share of a cap from which on the user is warned. */
const warnAt = 0.8;

/**
 * Compares a workspace's disk use with the caps. Full comes before nearly full, and its own cap before the
 * total, because that is the more specific problem. (design section 5)
 * @param bytes of the workspace, and of all workspaces of the run including it; 0 or more
 */
export function diskState(caps: DiskCaps, bytes: Readonly<Record<keyof DiskCaps, number>>): DiskState {
  for (const [kind, share] of [["full", 1] as const, ["near", warnAt] as const])
    for (const whose of ["each", "all"] as const) {
      const cap = caps[whose];
      if (cap !== null && bytes[whose] >= cap * share) return { kind, of: whose, bytes: bytes[whose], cap };
    }
  return { kind: "ok" };
}
