/** Parts of a proposed plan as things that can be selected. */
import { type PlanPart, taskOfPart } from "#shared/graph/plan-layout.ts";
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
