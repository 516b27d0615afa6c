/** The text of a task in its plan and in its change. (design section 2: jj is the truth for tasks) */

import { type MetadataPatch, trailerKeys } from "../change-metadata/metadata.ts";
import { writeMetadata } from "../change-metadata/write-trailers.ts";
import { startOf } from "../text/format-text.ts";
import type { PlannedTask } from "./plan.ts";
import type { TaskPatch } from "./plan-edit.ts";

const nothing = Object.fromEntries(Object.keys(trailerKeys).map((field) => [field, null])) as MetadataPatch;

/**
 * The description of a change that the engine creates, with trailers from the one module for them. The body
 * is a model's; metadata at its end is removed, so that it cannot give itself a priority or a phase.
 * (HOX-2.1)
 *
 * @param title made one line of at most 200 characters
 */
export const describeChange = (title: string, body: string, metadata: MetadataPatch): string =>
  writeMetadata(body.trim() === "" ? `${oneLine(title)}\n` : `${oneLine(title)}\n\n${body.trim()}\n`, {
    ...nothing,
    ...metadata,
  });

const oneLine = (text: string): string => startOf(text.replaceAll(/\s+/gu, " ").trim(), 200) || "untitled";

/**
 * The user's edit of a task's change, if it differs from the plan. Foreign trailers belong to the user's
 * text.
 *
 * @param description the change's current description
 * @returns null if the change agrees with the plan, or is empty
 */
export function editedTaskText(
  task: Pick<PlannedTask, "title" | "description">,
  description: string,
): Pick<TaskPatch, "title" | "description"> | null {
  const now = takenApart(writeMetadata(description, nothing));
  if (now.title === "") return null;
  const planned = takenApart(describeChange(task.title, task.description, {}));
  if (now.title === planned.title && now.body === planned.body) return null;
  return {
    ...(now.title === planned.title ? {} : { title: now.title }),
    ...(now.body === planned.body ? {} : { description: now.body }),
  };
}

function takenApart(text: string): { readonly title: string; readonly body: string } {
  const [title = "", ...rest] = text.replaceAll("\r\n", "\n").trim().split("\n");
  return { title: title.trim(), body: rest.join("\n").trim() };
}
