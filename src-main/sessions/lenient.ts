/** Reads what programs of others wrote, whatever version they have: what is not there, or is something else, is nothing. */
import {
  type Todo,
  type TodoStatus,
  todoLimits,
  todoStatuses,
} from "#shared/domain/orientation/todo-events.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";

export type Fields = Readonly<Record<string, unknown>>;

export const fieldsOf = (value: unknown): Fields | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null;

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** ms since 1970, of an ISO date or a number of ms; null for anything else. */
export function timeOf(value: unknown): number | null {
  const ms = typeof value === "number" ? value : typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isFinite(ms) ? ms : null;
}

/** Null for what is no JSON, such as a line that is being written. */
export function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const statusOf = (value: unknown): TodoStatus =>
  todoStatuses.find((status) => status === value) ?? (value === "done" ? "completed" : "pending");

/** A to-do list of any version; empty items are left out, and the number is limited. */
export const todosOf = (value: unknown): readonly Todo[] =>
  listOf(value)
    .flatMap((entry): Todo[] => {
      const fields = fieldsOf(entry);
      const content = textOf(fields?.content ?? fields?.subject).trim();
      if (fields === null || content === "") return [];
      const cut = startOf(content, todoLimits.characters);
      const active = startOf(textOf(fields.activeForm).trim(), todoLimits.characters);
      return [{ content: cut, status: statusOf(fields.status), activeForm: active || cut }];
    })
    .slice(0, todoLimits.items);
