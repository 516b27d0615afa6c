/** Patterns whose runs went badly go out of the prompts by themselves, and a person is told. (HOX-8) */
import { versionInForce } from "#shared/domain/patterns/pattern-record.ts";
import { turnedEvidence } from "#shared/domain/patterns/pattern-success.ts";
import type { Run } from "../ports.ts";
import { patternStoreOf } from "./pattern-store-of.ts";

/** Looks at all that is in force: what a death before kept from being seen is seen the next time. Safe to repeat. */
export async function retireTurned(
  run: Pick<Run, "repository" | "journal" | "now" | "config" | "emit">,
): Promise<void> {
  const { retireAfterRuns, retireBelow } = run.config.patterns;
  if (retireAfterRuns === 0) return;
  const bound = { runs: retireAfterRuns, share: retireBelow };
  const uses = run.journal.patternUses();
  for (const [id, record] of Object.entries(run.journal.patternRecords())) {
    const inForce = versionInForce(record);
    const turned =
      inForce && turnedEvidence(uses.get(id) ?? [], inForce.version, bound, record.keptAfterRuns);
    if (!turned) continue;
    const why = `${turned.successes} of the last ${turned.runs} runs that were told it reached their goal.`;
    await patternStoreOf(run).retire(id, why);
    run.emit({
      kind: "notice",
      level: "warning",
      text: `The pattern ${id} was retired: ${why}`,
      remedy: `\`hox patterns restore ${id}\` brings it back; from then on only later runs count.`,
    });
  }
}
