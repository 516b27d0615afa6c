import { type Look, lookAtNothing, type Present } from "#shared/domain/people/role.ts";
import type { Line } from "./viewers.ts";

export type Presence = ReturnType<typeof createPresence>;

/** Who is connected, and what they look at now. Nothing of it is kept. @param changed somebody came, went, or looks at something else */
export function createPresence(changed: () => void) {
  const lines = new Map<Line, { readonly name: string; readonly look: Look; readonly at: number }>();
  let count = 0;
  return {
    /** A window of this person listens. @returns it has gone */
    join(line: Line, name: string): () => void {
      lines.set(line, { name, look: lookAtNothing, at: count++ });
      changed();
      return () => {
        if (lines.delete(line)) changed();
      };
    },
    look(line: Line, look: Look): void {
      const known = lines.get(line);
      if (!known) return;
      lines.set(line, { ...known, look, at: count++ });
      changed();
    },
    /** By name; each person once, with what their last window to say so looks at. */
    list(): readonly Present[] {
      const newest = new Map<string, Present>();
      for (const { name, look } of [...lines.values()].toSorted((one, other) => one.at - other.at))
        newest.set(name, { name, ...look });
      return [...newest.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
    },
  };
}
