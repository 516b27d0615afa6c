/** Which files of a change a user has seen. A file that was written to since is to be seen again. */
import type { FileStat } from "#shared/contract/commands/graph.ts";
import { maxViewedChanges, type ViewedFiles } from "#shared/contract/settings.ts";
import { prefer, preferences, usePreference } from "../../state/preferences.ts";

/** Tells what a diff says of a file from anything else that it could say. */
export function markOf({ kind, added, removed, bytes }: FileStat, diff: string | null): string {
  const counts = `${kind} ${added} ${removed} ${bytes}`;
  return diff === null ? counts : `${counts} ${hashOf(diff)}`;
}

/** Not cryptographic: collisions are rare, and there is nothing to gain by forcing one. */
function hashOf(text: string): string {
  let [one, other] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 2654435761);
    other = Math.imul(other ^ code, 1597334677);
  }
  return ((one >>> 0).toString(36) + (other >>> 0).toString(36)).slice(0, 16);
}

/** Whether what was seen is what there is; before its diff is read, as far as the counts tell. */
export const isSeen = (seen: string | undefined, mark: string): boolean =>
  seen !== undefined && (seen === mark || seen.startsWith(`${mark} `));

/** The changes looked at with one file seen, or not; the one that was looked at longest ago is forgotten first. */
export function withViewed(
  all: readonly ViewedFiles[],
  changeId: string,
  path: string,
  mark: string | null,
): readonly ViewedFiles[] {
  const own = all.find((one) => one.changeId === changeId)?.files ?? {};
  const { [path]: _, ...others } = own;
  const files = mark === null ? others : { ...others, [path]: mark };
  const rest = all.filter((one) => one.changeId !== changeId);
  return [...rest, ...(Object.keys(files).length === 0 ? [] : [{ changeId, files }])].slice(
    -maxViewedChanges,
  );
}

const none: Readonly<Record<string, string>> = {};

export const useViewed = (changeId: string): Readonly<Record<string, string>> =>
  usePreference("viewedFiles").find((one) => one.changeId === changeId)?.files ?? none;

export const setViewed = (changeId: string, path: string, mark: string | null): void =>
  prefer({ viewedFiles: withViewed(preferences().viewedFiles, changeId, path, mark) });
