/** Why a file may not be written, moved or removed, in words for the agent. Nothing is changed by a refused call. */
import { hashOf } from "./file-listing.ts";
import type { Protection } from "./protected-files.ts";
import { ToolFailure } from "./tool-failure.ts";
import { layerOf, type Place, readText, type WorkspaceAccess } from "./workspace-place.ts";

/** A text about to be written, by the file's one spelling. `before` is null where there is no text file. */
export interface TextEdit {
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
}

/** Asked before a text is written: why it takes a decision back, or null. */
export type Overrides = (edit: TextEdit) => Promise<string | null>;

export async function refuseUnwritable(
  access: WorkspaceAccess,
  guard: Protection,
  asked: string,
  place: Place,
): Promise<void> {
  const root = await access.realRoot();
  refuseProtected(guard, asked, access.lexical(root, asked), place.path);
  if ((await layerOf(root, place.path)) !== null)
    throw new ToolFailure("not-allowed", `${asked} is an installed package. Change it with a command.`);
}

export function refuseNoTextFile(place: Place, asked: string, text: string, maxBytes: number): void {
  if (place.path === "") throw new ToolFailure("not-allowed", `${asked} is the workspace itself.`);
  if (Buffer.byteLength(text) > maxBytes) {
    throw new ToolFailure(
      "too-large",
      `The text is larger than ${maxBytes} bytes. Write less, or in several files.`,
    );
  }
  if (place.stats?.isDirectory()) throw new ToolFailure("not-allowed", `${asked} is a folder.`);
  if (place.stats && !place.stats.isFile())
    throw new ToolFailure("not-text", `${asked} is not a regular file.`);
}

export function refuseNoFile(place: Place, asked: string): void {
  if (place.path === "" || place.stats?.isDirectory())
    throw new ToolFailure("not-allowed", `${asked} is a folder; folders come and go with their files.`);
  if (place.stats === null) throw new ToolFailure("not-found", `${asked} does not exist.`);
}

/** Both as asked and as resolved: a link to a protected file and a protected name that is a link are both refused. */
function refuseProtected(guard: Protection, asked: string, lexical: string, resolved: string): void {
  const entry = guard.covers(lexical) ?? guard.covers(resolved);
  if (entry) {
    throw new ToolFailure(
      "protected-file",
      `${asked} is protected by "${entry}" in protected_files. Ask with align_request if it has to change.`,
    );
  }
}

export async function refuseChanged(
  place: Place,
  asked: string,
  expected: string | null,
  maxBytes: number,
): Promise<void> {
  if (expected === null) {
    if (place.stats) {
      throw new ToolFailure("changed-since-read", `${asked} exists. Read it before you write it.`);
    }
    return;
  }
  const now = place.stats ? hashOf(await readText(place, asked, maxBytes)) : null;
  if (now !== expected) {
    throw new ToolFailure("changed-since-read", `${asked} changed since you read it. Read it again.`);
  }
}

export async function refuseOverride(
  overrides: Overrides | undefined,
  place: Place,
  asked: string,
  after: string,
  maxBytes: number,
): Promise<void> {
  if (!overrides) return;
  const before = place.stats ? await textOrNull(place, asked, maxBytes) : null;
  const reason = await overrides({ path: place.path, before, after });
  if (reason !== null) throw new ToolFailure("overrides-decision", reason);
}

async function textOrNull(place: Place, asked: string, maxBytes: number): Promise<string | null> {
  try {
    return await readText(place, asked, maxBytes);
  } catch (error) {
    if (error instanceof ToolFailure) return null;
    throw error;
  }
}
