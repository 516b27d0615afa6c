import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { RemediedError } from "#shared/domain/text/remedied-error.ts";
import { searchFolders } from "./program-folders.mjs";
import { cacheFolder } from "./state-folder.ts";

/** Programs that Hox starts but does not contain. Set-up (`build/setup/`) finds or fetches them. */
export type ToolName = "jj" | "git" | "node" | "browser" | "sandbox" | "electron";

export type Tool =
  | {
      readonly found: true;
      readonly name: ToolName;
      readonly path: string;
      /** As set-up read it; absent when the program was found without it. */
      readonly version?: string;
      readonly from: "environment" | "set-up" | "package" | "path";
      readonly note?: string;
    }
  | { readonly found: false; readonly name: ToolName; readonly note?: string; readonly remedy: string };

/** A needed program is not there. The message names it and the remedy. */
export class ToolMissing extends RemediedError {
  override readonly name = "ToolMissing";
  readonly tool: ToolName;
  constructor(tool: ToolName, remedy: string, message = `${tool} was not found. ${remedy}`) {
    super(message, remedy);
    this.tool = tool;
  }
}

/** The error for a program that was there when Hox started and is not there now. */
export function toolGone(name: ToolName, path: string): ToolMissing {
  const tool = findTool(name);
  const remedy = tool.found
    ? `Restore it and try again, or restart Hox to use ${tool.path}.`
    : `Restore it and try again. ${tool.remedy}`;
  return new ToolMissing(name, remedy, `${path} no longer exists. Hox has been using it since it started.`);
}

const part = z.object({
  found: z.boolean(),
  path: z.string().optional(),
  version: z.string().optional(),
  note: z.string().optional(),
  remedy: z.string().optional(),
});
/** Programs of the machine, for all checkouts of Hox. */
const shared = z.object({ jj: part, git: part, browser: part, sandbox: part }).partial();
/** What npm installed with one checkout. */
const own = z.object({ node: part, electron: part }).partial();

/** What set-up wrote to `<cache>/tools.json` and to the file of this checkout. */
type RecordedTools = z.infer<typeof shared> & z.infer<typeof own>;

export const environmentVariable: Readonly<Record<ToolName, string>> = {
  jj: "HOX_JJ",
  git: "HOX_GIT",
  node: "HOX_NODE",
  browser: "HOX_BROWSER",
  sandbox: "HOX_SANDBOX",
  electron: "ELECTRON_EXEC_PATH",
};

const programNames: Readonly<Record<ToolName, readonly string[]>> = {
  jj: ["jj"],
  git: ["git"],
  node: ["node"],
  browser: [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "chrome",
    "msedge",
  ],
  sandbox: process.platform === "darwin" ? ["sandbox-exec"] : ["bwrap"],
  // What npm puts on PATH under this name is a launcher that tries to download the program.
  electron: [],
};

const gitFrom: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: " (brew install git; Apple's own git is older)",
  win32: " (winget install Git.Git)",
};

const defaultRemedy: Readonly<Record<ToolName, string>> = {
  jj: "Let Hox download it (a button on the welcome page, or `hox doctor --fetch-jj`), or install Jujutsu 0.44 or later, or set HOX_JJ to its path.",
  git: `Install git 2.34 or later${gitFrom[process.platform] ?? ""}, or set HOX_GIT to its path.`,
  node: "Run `npm run setup`, or install Node 22.13 or later, or set HOX_NODE to its path.",
  browser: "Install Chromium, Chrome or Edge, or set HOX_BROWSER to its path.",
  sandbox:
    process.platform === "win32"
      ? "Run Hox inside WSL to sandbox agents' commands."
      : "Install bubblewrap (the program bwrap), or set HOX_SANDBOX to its path.",
  electron: "Run `npx install-electron`, or set ELECTRON_EXEC_PATH to an Electron 45 binary.",
};

/** True when the file is there and may be started. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The first of these programs on PATH, as an absolute path. */
export const onPath = (
  names: readonly string[],
  searchPath: string = process.env.PATH ?? "",
): string | undefined => inFolders(names, searchPath.split(delimiter));

function inFolders(names: readonly string[], folders: readonly string[]): string | undefined {
  const endings = process.platform === "win32" ? [".exe", ".cmd", ""] : [""];
  for (const name of names) {
    for (const folder of folders) {
      // A relative entry would let the folder that happens to be open choose the program.
      if (!isAbsolute(folder)) continue;
      for (const ending of endings) {
        const path = join(folder, name + ending);
        if (isProgram(path)) return path;
      }
    }
  }
  return undefined;
}

/** The checkout that this file belongs to, from the sources or `out/main`; in a package it is none that set-up knows. */
const ownCheckout = findCheckout(dirname(fileURLToPath(import.meta.url)));

function findCheckout(folder: string): string {
  const isOutermost = dirname(folder) === folder;
  return isOutermost || existsSync(join(folder, "package.json")) ? folder : findCheckout(dirname(folder));
}

/** Where set-up records what npm installed with a checkout (`build/setup/recorded-parts.mjs` says the same). */
export function checkoutFile(cache: string, checkout: string): string {
  const name = createHash("sha256").update(resolve(checkout)).digest("hex").slice(0, 16);
  return join(cache, "checkouts", `${name}.json`);
}

/** What set-up's files say, while they are unchanged: a tool is looked up for every process. */
const parsed = new Map<string, { readonly state: string; readonly value: unknown }>();

function read<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
): z.infer<Schema> | Record<string, never> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(file);
    const state = `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
    const known = parsed.get(file);
    const value = known?.state === state ? known.value : schema.parse(JSON.parse(readFileSync(file, "utf8")));
    parsed.set(file, { state, value });
    return value as z.infer<Schema>;
  } catch {
    return {};
  }
}

/** What set-up found, or nothing when it never ran or its file is damaged (set-up writes it again). */
function readRecorded(cache: string, checkout: string): RecordedTools {
  return { ...read(join(cache, "tools.json"), shared), ...read(checkoutFile(cache, checkout), own) };
}

const programFile = (name: string): string => (process.platform === "win32" ? `${name}.exe` : name);

/** Where Hox keeps the jj that it has fetched. Set-up in a terminal puts its own there too. */
export const fetchedJj = (folder: string = cacheFolder()): string =>
  join(folder, "tools", "jj", "bin", programFile("jj"));

/** The jj that a package bundles, outside its archive because programs cannot be started from inside one. */
export function bundledJj(): string | undefined {
  const { resourcesPath } = process as { resourcesPath?: string };
  const path = resourcesPath ? join(resourcesPath, "jj", programFile("jj")) : undefined;
  return path && isProgram(path) ? path : undefined;
}

/**
 * The path of a program: from the environment, then from set-up, then from PATH and the folders of package
 * managers, which are not on the PATH of an app started from the desktop. The user's own jj comes before the
 * bundled one, so that a repository is used by one version. An override that points at nothing is reported as
 * "not found", never skipped.
 */
export function findTool(
  name: ToolName,
  folder: string = cacheFolder(),
  folders: readonly string[] = searchFolders(),
  checkout: string = ownCheckout,
): Tool {
  const variable = environmentVariable[name];
  const override = process.env[variable];
  if (override) {
    if (isProgram(override)) return { found: true, name, path: override, from: "environment" };
    return {
      found: false,
      name,
      remedy: `${variable} is set to ${override}, which is not a program. Fix it or unset it.`,
    };
  }
  const recorded = readRecorded(folder, checkout)[name];
  // Fetched on request where there was none, or one that set-up has found too old.
  const fetched = name === "jj" && isProgram(fetchedJj(folder)) ? fetchedJj(folder) : undefined;
  const isSurpassed = fetched !== undefined && recorded?.note !== undefined;
  if (recorded?.path && !isSurpassed && isProgram(recorded.path)) {
    return {
      found: true,
      name,
      path: recorded.path,
      from: "set-up",
      ...(recorded.version === undefined ? {} : { version: recorded.version }),
      ...(recorded.note === undefined ? {} : { note: recorded.note }),
    };
  }
  if (fetched) return { found: true, name, path: fetched, from: "set-up" };
  // What confines agents is the system's own where it has one: the system's rules name that program and no copy.
  const ofSystem = name === "sandbox" ? onPath(programNames[name]) : undefined;
  const path = ofSystem ?? inFolders(programNames[name], folders);
  if (path) return { found: true, name, path, from: "path" };
  const bundled = name === "jj" ? bundledJj() : undefined;
  if (bundled) return { found: true, name, path: bundled, from: "package" };
  return {
    found: false,
    name,
    remedy: recorded?.remedy ?? defaultRemedy[name],
    ...(recorded?.note === undefined ? {} : { note: recorded.note }),
  };
}

/** The program's path, or `ToolMissing` with what to do. */
export function toolPath(name: ToolName): string {
  const tool = findTool(name);
  if (!tool.found) throw new ToolMissing(name, tool.remedy);
  return tool.path;
}
