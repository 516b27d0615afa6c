import { z } from "zod";
import { Folder, isDenied } from "../disk/folder.ts";

export interface Checks {
  readonly fast: readonly string[];
  readonly slow: readonly { readonly command: string; readonly everyNIterations: number }[];
}

/** The checks of several folders together, each once: what one of them asks for, no other can take away. */
export async function foundChecks(folders: readonly string[]): Promise<Checks> {
  const found = await Promise.all(folders.map(defaultChecks));
  const slow = found.flatMap((one) => one.slow);
  return {
    fast: [...new Set(found.flatMap((one) => one.fast))],
    slow: slow.filter(({ command }, index) => slow.findIndex((other) => other.command === command) === index),
  };
}

/** Checks from what the repository itself uses; several languages add up. (PLAN-6a) */
export async function defaultChecks(workspace: string): Promise<Checks> {
  const folder = await Folder.open(workspace);
  try {
    const files = new Set((await folder.entries()).map(({ name }) => name.toString("utf8")));
    const found = [
      rust(files),
      python(files, await textIn(folder, "pyproject.toml"), await textIn(folder, "setup.cfg")),
      javascript(files, files.has("package.json") ? await textIn(folder, "package.json") : null),
    ];
    return { fast: found.flatMap((one) => one.fast), slow: found.flatMap((one) => one.slow) };
  } finally {
    await folder.close();
  }
}

/** A file of settings that is longer is none. */
const maxBytes = 2_000_000;

/** "" where it cannot be read: a pipe or a link that an agent put there is never followed, nor waited for. */
async function textIn(folder: Folder, name: string): Promise<string> {
  try {
    const file = await folder.readFile(name, maxBytes);
    return "bytes" in file ? file.bytes.toString("utf8") : "";
  } catch (error) {
    // Closed to us by whoever runs commands there.
    if (isDenied(error)) return "";
    throw error;
  }
}

const none: Checks = { fast: [], slow: [] };

function rust(files: ReadonlySet<string>): Checks {
  if (!files.has("Cargo.toml")) return none;
  return {
    fast: ["cargo check --quiet --all-targets", "cargo clippy --quiet --all-targets"],
    slow: [{ command: "cargo test --quiet", everyNIterations: 3 }],
  };
}

function python(files: ReadonlySet<string>, project: string, setup: string): Checks {
  const isPython = ["pyproject.toml", "setup.cfg", "setup.py", "requirements.txt"].some((name) =>
    files.has(name),
  );
  if (!isPython) return none;
  const says = (name: string): boolean => project.includes(`[tool.${name}`) || setup.includes(`[${name}`);
  const fast: string[] = [];
  if (says("ruff") || files.has("ruff.toml") || files.has(".ruff.toml")) fast.push("ruff check .");
  if (says("mypy") || files.has("mypy.ini")) fast.push("mypy .");
  const usesPytest =
    says("pytest") ||
    setup.includes("[tool:pytest]") ||
    files.has("pytest.ini") ||
    /\bpytest\b/.test(project);
  const hasTests = files.has("tests") || files.has("test");
  if (usesPytest) return { fast, slow: [{ command: "python3 -m pytest -q", everyNIterations: 2 }] };
  if (hasTests) return { fast, slow: [{ command: "python3 -m unittest", everyNIterations: 2 }] };
  return { fast, slow: [] };
}

const packageFile = z.object({ scripts: z.record(z.string(), z.string()).optional() });

function javascript(files: ReadonlySet<string>, text: string | null): Checks {
  if (text === null) return none;
  const scripts = scriptsIn(text);
  if (scripts === null) return { fast: [brokenPackage], slow: [] };
  const runner = runnerOf(files);
  const fast = ["lint", "typecheck", "type-check", "types"]
    .filter((name) => scripts[name])
    .map((name) => `${runner} ${name}`);
  // What `npm init` writes always fails and says nothing about the work.
  const tests = scripts.test && !scripts.test.includes("no test specified");
  return { fast, slow: tests ? [{ command: `${runner} test`, everyNIterations: 2 }] : [] };
}

function runnerOf(files: ReadonlySet<string>): string {
  if (files.has("pnpm-lock.yaml")) return "pnpm run";
  if (files.has("yarn.lock")) return "yarn run";
  if (files.has("bun.lock") || files.has("bun.lockb")) return "bun run";
  return "npm run --silent";
}

/** A package.json that cannot be read (or is a pipe, or endless) must not end as "no checks, so all passed": this fails until it can. */
const brokenPackage = `node -e "JSON.parse(require('fs').readFileSync('package.json', 'utf8'))"`;

function scriptsIn(text: string): Readonly<Record<string, string>> | null {
  try {
    return packageFile.parse(JSON.parse(text)).scripts ?? {};
  } catch {
    return null;
  }
}
