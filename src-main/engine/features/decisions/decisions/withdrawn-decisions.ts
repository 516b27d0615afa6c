import type { Run } from "../../../ports.ts";

/**
 * A decision whose change a person took off the graph binds nobody any more: later ones stand on what is left, and
 * whoever contradicted it is free of that.
 */
export async function dropWithdrawn(run: Run): Promise<void> {
  const gone: string[] = [];
  for (const { changeId } of run.facts.decisions) {
    if (run.changes.has(changeId)) continue;
    // A rewrite by hand may have dropped the trailer; only a change that is gone was taken back.
    const still = await run.repository.change(changeId);
    if (!still) gone.push(changeId);
  }
  if (gone.length === 0) return;
  const freed = [...run.workers.values()].flatMap(({ record: { changeId, contradicts } }) =>
    contradicts !== null && gone.includes(contradicts) ? [{ changeId }] : [],
  );
  // First on the graph: begun again after a crash, it finds the decision in the journal still.
  await run.repository.setMetadata(
    freed.flatMap(({ changeId }) =>
      changeId !== null && run.changes.has(changeId)
        ? [{ change: changeId, patch: { msgType: null, replyTo: null } }]
        : [],
    ),
    { actor: "hox" },
  );
  const withdrawn = run.facts.decisions.filter((one) => gone.includes(one.changeId));
  // Another look at the same moment was quicker.
  if (withdrawn.length === 0) return;
  run.append({ kind: "DecisionsWithdrawn", decisions: gone });
  run.emit({
    kind: "notice",
    level: "info",
    text: `Withdrawn: ${withdrawn.map(({ title }) => `"${title}"`).join(", ")}. It no longer applies to any task.`,
    remedy: null,
  });
}
