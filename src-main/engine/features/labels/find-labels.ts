import { createHash } from "node:crypto";
import { parseDescription } from "#shared/domain/graph-words/trailers.ts";
import { labelOf } from "#shared/domain/labels/labels.ts";
import { isOver } from "#shared/domain/run/run-state.ts";
import type { Run } from "../../ports.ts";
import { rootOf } from "../../workers/hierarchy.ts";

/**
 * Takes down what people labelled since the run began, in a terminal or by hand: what was said before is said to nobody.
 * Read when somebody else has written, and never after writes of our own.
 */
export async function findLabels(run: Run): Promise<void> {
  if (isOver(run.state)) return;
  for (const change of await run.repository.changesLabelledByHand()) {
    if (change.timestamp < run.row.startedAt) continue;
    const { subject, body, metadata } = parseDescription(change.description);
    const label = labelOf({ ...change, subject, body, metadata }, rootOf(run));
    if (label === null) continue;
    const words = createHash("sha256").update(JSON.stringify(label)).digest("hex").slice(0, 16);
    run.append({ kind: "LabelFound", label: { ...label, key: `${label.changeId.slice(0, 12)}-${words}` } });
  }
  run.schedule();
}
