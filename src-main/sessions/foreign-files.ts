/**
 * Reads other programs' files: read-only, never through a link, and only up to a limit. Missing or unreadable
 * files count as empty, because their owner may delete them at any moment.
 */
import { constants } from "node:fs";
import { lstat, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import {
  type Todo,
  type TodoStatus,
  todoLimits,
  todoStatuses,
} from "#shared/domain/orientation/todo-events.ts";
import { startOf } from "#shared/domain/text/format-text.ts";

export interface ForeignFile {
  readonly path: string;
  readonly name: string;
  /** ms since 1970. */
  readonly changedAt: number;
  readonly bytes: number;
}

/** Null for what is no plain file. */
export async function foreignFile(folder: string, name: string): Promise<ForeignFile | null> {
  const path = join(folder, name);
  const found = await lstat(path).catch(() => null);
  return found?.isFile() ? { path, name, changedAt: found.mtimeMs, bytes: found.size } : null;
}

/** The folders, or the plain files, of a folder; those that changed last come first. */
export async function foreignFiles(
  folder: string,
  ending: string,
  most: number,
): Promise<readonly ForeignFile[]> {
  const names = (await entriesOf(folder)).filter((entry) => entry.isFile() && entry.name.endsWith(ending));
  const files = await Promise.all(names.map(({ name }) => foreignFile(folder, name)));
  return files
    .flatMap((file) => file ?? [])
    .sort((one, other) => other.changedAt - one.changedAt)
    .slice(0, most);
}

export const foreignFolders = async (folder: string): Promise<readonly string[]> =>
  (await entriesOf(folder)).filter((entry) => entry.isDirectory()).map(({ name }) => name);

const entriesOf = async (folder: string) => {
  // A folder that is a link leads out.
  const found = await lstat(folder).catch(() => null);
  return found?.isDirectory() ? readdir(folder, { withFileTypes: true }).catch(() => []) : [];
};

/** Parts of a text file: its beginning and its end, which is all of it where it is short. */
export interface ForeignText {
  readonly begin: string;
  /** Whole lines only; empty where the beginning is all of it. */
  readonly end: string;
}

/** @param most bytes of the beginning and of the end */
export async function foreignText(
  file: Pick<ForeignFile, "path">,
  most: { readonly begin: number; readonly end: number },
): Promise<ForeignText | null> {
  // Windows knows neither of the two.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const opened = await open(file.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null);
  if (opened === null) return null;
  try {
    const found = await opened.stat();
    if (!found.isFile()) return null;
    const part = async (from: number, bytes: number): Promise<string> => {
      const buffer = Buffer.alloc(Math.max(0, bytes));
      const { bytesRead } = await opened.read(buffer, 0, buffer.length, from);
      return buffer.subarray(0, bytesRead).toString("utf8");
    };
    if (found.size <= most.begin + most.end) return { begin: await part(0, found.size), end: "" };
    const end = await part(found.size - most.end, most.end);
    return { begin: await part(0, most.begin), end: end.slice(end.indexOf("\n") + 1) };
  } catch {
    return null;
  } finally {
    await opened.close();
  }
}

/**
 * Reads what programs of others wrote, whatever version they have: what is not there, or is something else, is nothing.
 */
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
