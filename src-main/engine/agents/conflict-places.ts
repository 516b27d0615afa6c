/** The places in conflict, for an agent that knows its side of them: it need not read the files again. */
import { conflictPlaces } from "#shared/domain/conflict/conflict-places.ts";
import { type PromptText, promptLine, quoteText } from "#shared/domain/text/prompt-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { ToolFailure } from "../../tools/tool-interface.ts";
import type { CheckoutHandle } from "../workspaces/workspace-interface.ts";

/** Of all files together; beyond it, reading the parts that matter costs less. */
const maxCharacters = 12_000;

/** @returns nothing of files that do not fit, or hold no marker, such as one that one side deleted */
export async function placesInConflict(
  workspace: CheckoutHandle,
  paths: readonly string[],
): Promise<readonly PromptText[]> {
  const shown: PromptText[] = [];
  let left = maxCharacters;
  for (const path of paths) {
    const places = conflictPlaces(await textOf(workspace, path));
    const size = places.reduce((sum, { text }) => sum + text.length, 0);
    if (size > left) continue;
    left -= size;
    for (const { from, to, text } of places)
      shown.push(promptLine`- ${shownName(path)}, lines ${from} to ${to}:`, quoteText(text));
  }
  return shown;
}

/** Empty where it is no text, or is gone. */
async function textOf(workspace: CheckoutHandle, path: string): Promise<string> {
  try {
    return (await workspace.files().readText(path)).text;
  } catch (error) {
    if (error instanceof ToolFailure) return "";
    throw error;
  }
}
