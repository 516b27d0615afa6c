import { complies, contradicts, type Place } from "#shared/domain/decision/compliance.ts";
import { inForce, newOverrides, type Override, overridesIn } from "#shared/domain/decision/decision-edit.ts";
import type { DecisionRecord } from "#shared/domain/decision/decision-events.ts";
import { ToolFailure } from "../../../../tools/tool-interface.ts";
import type { TextEdit } from "../../../../tools/workspace-files.ts";
import type { Run, RunReader } from "../../../ports.ts";
import type { CheckoutHandle, FileRules } from "../../../workspaces/workspace-interface.ts";
import { bindingOn, complianceOf, recordCompliance } from "./compliance.ts";

/** What the decisions that bind a worker ask of their files today, where no later one replaced it. */
function demandsOn(run: RunReader, worker: string) {
  const decisions = bindingOn(run, worker);
  const edits = inForce(decisions.map((decision) => decision.edits ?? []));
  return decisions
    .map((decision, place) => ({ decision, edits: edits[place] ?? [] }))
    .filter(({ edits }) => edits.length > 0);
}

/**
 * Checks the files of a worker against the lines of every decision, and records the findings. An agent may
 * resolve a conflict in a decision's file; it may not revert the decision. (HOX-5.4)
 * @param inConflict files with conflict markers: they contain both sides, so they are judged when resolved
 * @returns why the work cannot count as done, for the agent; null if every line is there
 */
export async function findOverrides(
  run: Run,
  worker: string,
  workspace: CheckoutHandle,
  inConflict: readonly string[],
): Promise<string | null> {
  const demands = demandsOn(run, worker);
  if (demands.length === 0) return null;
  const texts = await textsOf(
    workspace,
    demands.flatMap(({ edits }) => edits.map(({ path }) => path)),
  );
  const found: string[] = [];
  for (const { decision, edits } of demands) {
    const judged = edits.filter(({ path }) => !inConflict.includes(path));
    const overrides = overridesIn(judged, (path) => texts.get(path) ?? null);
    const compliance = complianceOf(run, decision.changeId, worker);
    if (overrides.length > 0) {
      const reason = `Its work takes the decision back: ${overrides.map(formatOverride).join("; ")}.`;
      recordCompliance(
        run,
        decision.changeId,
        contradicts(compliance, "override", reason, overrides.map(placeOf)),
      );
      found.push(refusalOf(decision, overrides));
    } else if (compliance.shownBy === "override")
      recordCompliance(run, decision.changeId, complies(compliance, "The lines of the decision are there."));
  }
  return found.length === 0 ? null : found.join("\n\n");
}

/** What a worker's writing tools ask before they write: see `overrides` of the workspace's files. */
export const overrideRules = (run: RunReader, worker: string, workspace: CheckoutHandle): FileRules => ({
  overrides: overrideGuard(run, worker, workspace),
  mayOverride: () => demandsOn(run, worker).length > 0,
});

const overrideGuard =
  (run: RunReader, worker: string, workspace: CheckoutHandle) =>
  async ({ path, before, after }: TextEdit): Promise<string | null> => {
    const demands = demandsOn(run, worker).filter(({ edits }) => edits.some((edit) => edit.path === path));
    if (demands.length === 0) return null;
    const texts = await textsOf(
      workspace,
      demands.flatMap(({ edits }) => edits.map((edit) => edit.path)),
    );
    for (const { decision, edits } of demands) {
      const found = newOverrides(
        edits,
        (file) => (file === path ? before : (texts.get(file) ?? null)),
        (file) => (file === path ? after : (texts.get(file) ?? null)),
      );
      if (found.length > 0) return `Nothing was written. ${refusalOf(decision, found)}`;
    }
    return null;
  };

async function textsOf(
  workspace: CheckoutHandle,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  // Larger than what tools may write: a file that a command blew up is still judged.
  const files = workspace.files({ maxBytes: 20_000_000 });
  const texts = new Map<string, string>();
  for (const path of new Set(paths)) {
    try {
      texts.set(path, (await files.readText(path)).text);
    } catch (error) {
      // Gone, or not text any more: the decision's lines are not there.
      if (!(error instanceof ToolFailure)) throw error;
    }
  }
  return texts;
}

const refusalOf = ({ title, reason }: DecisionRecord, overrides: readonly Override[]): string =>
  [
    `The decision "${title}" binds you: ${reason}`,
    ...overrides.map((override) => `- ${formatOverride(override)}`),
    "Follow it as it is. If you think that it is wrong, say so with align_request and follow it in the meantime.",
  ].join("\n");

const formatOverride = ({ path, kind, line, at }: Override): string =>
  kind === "taken-out"
    ? `${path} must keep its line \`${line}\``
    : `${path}${at === null ? "" : `:${at}`} must not have \`${line}\` again`;

const placeOf = ({ path, line, at }: Override): Place => ({ path, line: at, text: line });
