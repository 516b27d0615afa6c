/** Parts of a proposed plan as things that can be selected, and where keys lead among them. */
import { type PlanLayout, type PlanPart, type PlanPlace, taskOfPart } from "#shared/graph/plan-layout.ts";
import type { RowKey } from "../../state/selection-store.ts";

const prefix = "ghost:";

/** The key by which a part is selected, beside the keys of real rows. */
export const keyOfPart = (part: PlanPart): RowKey => `${prefix}${part}`;

/** The part that a key names; null for a row of the graph. */
export const partOfKey = (key: RowKey | null): PlanPart | null =>
  key?.startsWith(prefix) ? key.slice(prefix.length) : null;

/** The id of the planned task that a key names, or null. */
export const taskOfKey = (key: RowKey | null): string | null => {
  const part = partOfKey(key);
  return part === null ? null : taskOfPart(part);
};

/**
 * The part that an arrow leads to on the canvas, by its place: up and down to the nearest of the next level, left and
 * right along the level. `below`: down from the lowest, to what the plan stands on. Null: the key leads nowhere.
 */
export function walkPlaces(layout: PlanLayout, part: PlanPart, key: string): PlanPart | "below" | null {
  const { places } = layout;
  const from = places.find((place) => place.part === part);
  if (!from) return null;
  const byLevel = [...places].sort((a, b) => b.level - a.level || a.column - b.column);
  switch (key) {
    case "ArrowUp":
    case "ArrowDown": {
      const step = key === "ArrowUp" ? 1 : -1;
      for (let level = from.level + step; level >= 0 && level < layout.levels; level += step) {
        const there = nearest(
          places.filter((place) => place.level === level),
          from.column,
        );
        if (there) return there.part;
      }
      return key === "ArrowDown" ? "below" : null;
    }
    case "ArrowLeft":
    case "ArrowRight": {
      const along = byLevel.filter((place) => place.level === from.level);
      return along[along.indexOf(from) + (key === "ArrowRight" ? 1 : -1)]?.part ?? null;
    }
    case "Home":
      return byLevel[0]?.part ?? null;
    case "End":
      return byLevel.at(-1)?.part ?? null;
    default:
      return null;
  }
}

const nearest = (places: readonly PlanPlace[], column: number): PlanPlace | undefined =>
  [...places].sort((a, b) => Math.abs(a.column - column) - Math.abs(b.column - column))[0];

/** The lowest part, where a walk up from the graph arrives. */
export const lowestPart = (layout: PlanLayout): PlanPart | null =>
  [...layout.places].sort((a, b) => a.level - b.level || a.column - b.column)[0]?.part ?? null;
