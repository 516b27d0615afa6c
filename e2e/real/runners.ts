/** Real test runners on small projects: what their reports are read as, and what is kept of them for `npm test`. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "../../src-main/config/state-folder.ts";
import { readReport } from "../../src-shared/domain/project/failure-report.ts";
import { type RunnerCase, runnerCases } from "../../src-shared/domain/project/testing/runner-cases.ts";
import { shell } from "./repository.ts";

/** What a runner printed, with its place taken out. */
interface RecordedReport {
  readonly exitCode: number;
  readonly output: string;
}

const recorded = fileURLToPath(
  new URL("../../src-shared/domain/project/testing/runner-reports.json", import.meta.url),
);
/** Where a report says that it was printed, in what is kept. */
const place = "/project";

/**
 * Runs each case whose runner is there.
 *
 * @param say told of each case in a line
 * @returns how many came out otherwise than they should
 */
export async function tryRunners(options: {
  readonly record: boolean;
  /** Runners by name; empty: all. */
  readonly only: readonly string[];
  readonly say: (line: string) => void;
}): Promise<number> {
  const kept: Record<string, RecordedReport> = existsSync(recorded)
    ? (JSON.parse(readFileSync(recorded, "utf8")) as Record<string, RecordedReport>)
    : {};
  const isThere = new Map<string, boolean>();
  let wrong = 0;
  for (const one of runnerCases) {
    const name = `${one.runner}: ${one.when}`;
    if (options.only.length > 0 && !options.only.includes(one.runner)) continue;
    if (!isThere.has(one.probe)) isThere.set(one.probe, (await shell(one.probe, tmpdir())).code === 0);
    if (!isThere.get(one.probe)) {
      options.say(`${name}: not run, its runner is not on this machine`);
      continue;
    }
    const report = await runCase(one, await installed(one));
    kept[name] = report;
    const proved = readReport({ ...report, workspace: place, command: one.command });
    const { outcome, failures = null, why } = one;
    const isRight =
      proved.outcome === outcome &&
      (proved.why ?? undefined) === why &&
      JSON.stringify(proved.failures) === JSON.stringify(failures);
    if (!isRight) wrong += 1;
    options.say(
      `${name}: ${isRight ? "ok" : `is ${JSON.stringify(proved)}, should be ${JSON.stringify({ outcome, failures, why })}`}`,
    );
  }
  if (options.record) writeFileSync(recorded, `${JSON.stringify(kept, null, 1)}\n`);
  return wrong;
}

/** The folder in which npm or pip put what a runner takes; null where it takes nothing. */
async function installed({ packages }: RunnerCase): Promise<string | null> {
  if (packages === undefined) return null;
  const { from, names } = packages;
  const folder = join(
    cacheFolder(),
    "real",
    "runners",
    `${from} ${names.join(" ")}`.replace(/[^\w.]+/gu, "-"),
  );
  const done = join(folder, "installed");
  if (existsSync(done)) return folder;
  mkdirSync(folder, { recursive: true });
  const { code, output } = await shell(
    from === "npm"
      ? `npm install --no-save --silent --prefix . ${names.join(" ")}`
      : `python3 -m venv . && bin/pip install --quiet ${names.join(" ")}`,
    folder,
    // How this machine reaches its registries may be said there.
    Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) =>
        /^(?:npm_config_|pip_|node_extra_ca_certs$|ssl_cert)/iu.test(name) && value !== undefined
          ? [[name, value]]
          : [],
      ),
    ),
  );
  if (code !== 0) throw new Error(`${names.join(", ")} could not be installed: ${output}`);
  writeFileSync(done, "");
  return folder;
}

async function runCase({ files, command }: RunnerCase, packages: string | null): Promise<RecordedReport> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hox-runner-")));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      if (text !== "") writeFileSync(join(folder, path), text);
    }
    const modules = packages === null ? null : join(packages, "node_modules");
    if (modules !== null && existsSync(modules)) symlinkSync(modules, join(folder, "node_modules"));
    const programs = packages === null ? [] : [join(packages, "bin"), join(packages, "node_modules", ".bin")];
    const environment = {
      ...{ CI: "1", NO_COLOR: "1", GOFLAGS: "-mod=mod", GOPROXY: "off", LC_ALL: "C.UTF-8" },
      ...{ RUST_BACKTRACE: "0", PYTHONDONTWRITEBYTECODE: "1" },
      PATH: [...programs, process.env.PATH ?? ""].join(":"),
    };
    const { code, output } = await shell(command, folder, environment);
    const text = packages === null ? output : output.replaceAll(packages, "/packages");
    // What is kept names no folder of this machine.
    return { exitCode: code, output: text.replaceAll(folder, place).replaceAll(homedir(), "/home") };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
