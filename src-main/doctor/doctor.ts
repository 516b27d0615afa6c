import { execFile } from "node:child_process";
import { homedir } from "node:os";
import type { ToolView } from "#shared/contract/views/app.ts";
import { jjArchive } from "../../build/setup/jj-release.mjs";
import { childEnvironment } from "../config/child-environment.ts";
import { refusedNamespaces } from "../config/refused-namespaces.ts";
import { bundledJj, environmentVariable, findTool, type Tool } from "../config/tools.ts";

/** One line of `hox doctor`. `note` says what is limited or why a part is missing, `remedy` what to do about it. */
export interface PartReport extends ToolView {
  readonly path: string | null;
}

export interface DoctorOptions {
  /** Where a key was found; without it only the environment is looked at. Never the key itself. */
  readonly apiKey?: "environment" | "keychain" | "session" | "none";
  readonly env?: NodeJS.ProcessEnv;
  readonly platform?: NodeJS.Platform;
}

const report = (
  part: string,
  found: boolean,
  more: Partial<Omit<PartReport, "part" | "found">>,
): PartReport => ({
  part,
  found,
  version: null,
  path: null,
  note: null,
  remedy: null,
  canFetch: false,
  ...more,
});

/** The oldest version with which everything works, and what does not work below it. */
const limits = {
  git: { least: "2.34", lost: "colocated repositories (jj and Git) and pushes will not work" },
  jj: { least: "0.44", lost: "previews, the conflict radar and runs will not work" },
} as const;

/** What jj itself asks of git, for `jj git fetch` alone. Hox fetches nothing, and sees what Git fetched. */
const fetchesFrom = "2.42";
const cannotFetch = `older than ${fetchesFrom}, so jj git fetch does not work. Use git fetch instead; Hox detects the fetched commits`;

/** Where a program comes from, if that may be unknown. */
function origin(tool: Tool & { readonly found: true }): string | null {
  if (tool.from === "package") return "included with Hox";
  if (tool.from === "environment") return `set by ${environmentVariable[tool.name]}`;
  return null;
}

/** Whether Hox offers a download. A path in the environment comes first and would hide it. */
const canFetchJj = (): boolean =>
  !process.env.HOX_JJ && (bundledJj() !== undefined || jjArchive() !== undefined);

async function program(name: "git" | "jj"): Promise<PartReport> {
  const tool = findTool(name);
  const canFetch = name === "jj" && canFetchJj();
  if (!tool.found) return report(name, false, { note: tool.note ?? null, remedy: tool.remedy, canFetch });
  const { path } = tool;
  const probed = await probe(path, ["--version"]);
  const version = probed.ok ? versionIn(probed.output) : null;
  const { least, lost } = limits[name];
  const remedy = `${canFetch ? "Let Hox download a newer version, or install" : "Install"} ${name} ${least} or later.`;
  if (version === null) {
    const note = probed.ok ? "it does not report its version" : `it does not start: ${probed.reason}`;
    return report(name, false, { path, note, remedy, canFetch });
  }
  if (isAtLeast(version, least)) {
    const isLimited = name === "git" && !isAtLeast(version, fetchesFrom);
    return report(name, true, { path, version, note: isLimited ? cannotFetch : origin(tool) });
  }
  return report(name, true, { path, version, note: `older than ${least}: ${lost}`, remedy, canFetch });
}

type Probe = { readonly ok: true; readonly output: string } | { readonly ok: false; readonly reason: string };

/** Runs a program once and waits a little; never throws, because a program that cannot run is an answer. */
export const probe = (program: string, args: readonly string[], limitMs = 20_000): Promise<Probe> =>
  new Promise((resolve) => {
    execFile(
      program,
      args,
      {
        timeout: limitMs,
        windowsHide: true,
        cwd: homedir(),
        env: childEnvironment(),
      },
      (error, stdout, stderr) => {
        if (!error) return resolve({ ok: true, output: `${stdout}${stderr}` });
        const lastLine = stderr.trim().split("\n").at(-1);
        resolve({
          ok: false,
          reason: error.killed ? `it did not exit within ${limitMs / 1000} s` : lastLine || error.message,
        });
      },
    );
  });

/** The version number in what a program says about itself. */
export const versionIn = (output: string): string | null =>
  /(?<!\d)\d+\.\d+(?:\.\d+)*/.exec(output)?.[0] ?? null;

/** Compares versions number by number: 1.10 is later than 1.9. */
export function isAtLeast(version: string, least: string): boolean {
  const numbers = (text: string): number[] => text.split(".").map((part) => Number.parseInt(part, 10) || 0);
  const have = numbers(version);
  for (const [index, wanted] of numbers(least).entries()) {
    const difference = (have[index] ?? 0) - wanted;
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function node(): PartReport {
  const note = process.versions.electron ? `Electron ${process.versions.electron} runs Hox` : null;
  return report("node", true, { path: process.execPath, version: process.versions.node, note });
}

async function browser(platform: NodeJS.Platform): Promise<PartReport> {
  const tool = findTool("browser");
  if (!tool.found) {
    const note = tool.note ?? "Hox prints the address to open instead of opening a window";
    return report("browser", false, { note, remedy: tool.remedy });
  }
  // On Windows a browser answers this question by opening a window.
  const probed = platform === "win32" ? null : await probe(tool.path, ["--version"]);
  if (probed && !probed.ok) {
    const remedy = "Reinstall Chromium, Chrome or Edge, or set HOX_BROWSER.";
    return report("browser", false, { path: tool.path, note: `it does not start: ${probed.reason}`, remedy });
  }
  const version = probed ? versionIn(probed.output) : (tool.version ?? null);
  return report("browser", true, { path: tool.path, version });
}

const unconfined = "agents' commands would run without a sandbox, so Hox asks before it runs any";

async function sandbox(platform: NodeJS.Platform): Promise<PartReport> {
  const tool = findTool("sandbox");
  if (!tool.found) return report("sandbox", false, { note: tool.note ?? unconfined, remedy: tool.remedy });
  const { path } = tool;
  if (platform === "darwin") return report("sandbox", true, { path });
  const [probed, tried] = await Promise.all([
    probe(path, ["--version"]),
    probe(path, ["--ro-bind", "/", "/", "--unshare-user", "--unshare-pid", "--", "/bin/sh", "-c", ":"]),
  ]);
  const version = probed.ok ? versionIn(probed.output) : null;
  if (tried.ok) return report("sandbox", true, { path, version });
  return report("sandbox", false, {
    path,
    version,
    note: `it can't create a sandbox here (${tried.reason}): ${unconfined}`,
    remedy: refusedNamespaces()?.remedy ?? "Allow unprivileged user namespaces for bwrap on this machine.",
  });
}

function electron(): PartReport {
  const running = process.versions.electron;
  if (running) return report("electron", true, { path: process.execPath, version: running });
  const tool = findTool("electron");
  if (tool.found) return report("electron", true, { path: tool.path, version: tool.version ?? null });
  const note = tool.note ?? "Hox runs as a headless host and a browser window";
  return report("electron", false, { note, remedy: tool.remedy });
}

function apiKey({ apiKey: source, env = process.env }: DoctorOptions): PartReport {
  const from = source ?? (env.ANTHROPIC_API_KEY ? "environment" : "none");
  if (from !== "none") {
    const where = {
      environment: "ANTHROPIC_API_KEY",
      keychain: "the keychain",
      session: "this session only",
    }[from];
    return report("API key", true, { note: `from ${where}` });
  }
  return report("API key", false, {
    note: "only rehearsals can run",
    remedy: "Set ANTHROPIC_API_KEY, or enter a key in the settings.",
  });
}

/** The programs Hox needs, as they are now and not as set-up once found them. */
export function inspectTools(platform: NodeJS.Platform = process.platform): Promise<readonly PartReport[]> {
  return Promise.all([
    node(),
    program("git"),
    program("jj"),
    browser(platform),
    sandbox(platform),
    electron(),
  ]);
}

/** The programs, and whether there is an API key. */
export async function inspectParts(options: DoctorOptions = {}): Promise<readonly PartReport[]> {
  return [...(await inspectTools(options.platform)), apiKey(options)];
}
