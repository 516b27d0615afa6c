import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder `resources/` could not be located; the installation is incomplete. */
export class ResourcesMissing extends Error {
  override readonly name = "ResourcesMissing";
  constructor(lookedIn: readonly string[]) {
    super(
      `The folder "resources" of Hox was not found (looked in ${lookedIn.join(", ")}). ` +
        "Reinstall Hox, or set HOX_RESOURCES to that folder.",
    );
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/**
 * The folder of prompts, prices, the rehearsal and the example repository. Three layouts exist: the sources
 * (vitest), `out/main` (npm start) and a packaged app, whose resources are outside the archive because jj and
 * shells cannot read inside it.
 */
export function resourcesFolder(startAt: string = dirname(fileURLToPath(import.meta.url))): string {
  const override = process.env.HOX_RESOURCES;
  if (override) {
    if (isFolder(override)) return override;
    throw new ResourcesMissing([override]);
  }
  const lookedIn: string[] = [];
  const packaged = (process as { resourcesPath?: string }).resourcesPath;
  if (packaged && startAt.includes(".asar")) {
    const folder = join(packaged, "resources");
    if (isFolder(folder)) return folder;
    lookedIn.push(folder);
  }
  for (let folder = startAt; ; folder = dirname(folder)) {
    const candidate = join(folder, "resources");
    if (existsSync(join(folder, "package.json"))) {
      if (isFolder(candidate)) return candidate;
      lookedIn.push(candidate);
    }
    if (dirname(folder) === folder) break;
  }
  throw new ResourcesMissing(lookedIn.length > 0 ? lookedIn : [startAt]);
}

/** A file or folder below `resources/`, as in `resourcePath("prompts", "agent.md")`. */
export const resourcePath = (...parts: readonly string[]): string => join(resourcesFolder(), ...parts);

/** A prompt's text with `{{name}}` filled in. An unfilled name or a missing file is an error. */
export function loadPrompt(file: string, values: Readonly<Record<string, string>>): string {
  return readFileSync(resourcePath("prompts", `${file}.md`), "utf8")
    .replaceAll(/\{\{\s*([a-z_]+)\s*\}\}/gu, (_, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`The prompt ${file}.md uses {{${name}}}, which has no value.`);
      return value;
    })
    .trimEnd();
}

/**
 * Identical for a whole conversation, so that the cache hits. Only the last paragraph names the worker: all of a role
 * share what is before.
 */
export const systemPrompt = (file: string, role: string, values: Readonly<Record<string, string>>): string =>
  [
    loadPrompt(file, { role, name: role, ...values }),
    loadPrompt("quoted-words", {}),
    `You are ${role}.\nHox-Role: ${role}`,
  ].join("\n\n");
