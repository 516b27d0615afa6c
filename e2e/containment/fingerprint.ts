import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** Every path below a folder with its kind, mode and content, without following anything. */
export function fingerprint(folder: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const visit = (path: string): void => {
    const absolute = join(folder, path);
    const stats = lstatSync(absolute);
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isSymbolicLink()) found.set(path, `link to ${readlinkSync(absolute)}`);
    else if (stats.isFile()) found.set(path, `file ${mode} ${readFileSync(absolute, "latin1")}`);
    else if (!stats.isDirectory()) found.set(path, `special ${stats.mode.toString(8)}`);
    else {
      found.set(path, `folder ${mode}`);
      for (const name of readdirSync(absolute)) visit(path === "" ? name : `${path}/${name}`);
    }
  };
  visit("");
  return found;
}

/** What differs, in words, or null. */
export function differenceOf(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string | null {
  const gone = [...before.keys()].filter((path) => !after.has(path));
  const made = [...after.keys()].filter((path) => !before.has(path));
  const other = [...before].filter(([path, was]) => after.has(path) && after.get(path) !== was);
  const messages = [
    ...gone.map((path) => `${path} is gone`),
    ...made.map((path) => `${path} is new`),
    ...other.map(([path]) => `${path} is changed`),
  ];
  return messages.length === 0 ? null : messages.slice(0, 3).join(", ");
}
