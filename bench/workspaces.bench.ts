import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { execa } from "execa";
import { defaultConfig } from "../src-main/config/settings.ts";
import { toolPath } from "../src-main/config/tools.ts";
import { lookAtBase } from "../src-main/engine/project/look-at-base.ts";
import { createGitViews } from "../src-main/engine/workspaces/git-views.ts";
import { leasePorts } from "../src-main/engine/workspaces/port-leases.ts";
import { setUpCheckouts } from "../src-main/engine/workspaces/set-up-checkouts.ts";
import { copyCaches } from "../src-main/engine/workspaces/workspace-caches.ts";
import { createTestRepository, type TestRepository } from "../src-main/jj/testing/create-test-repository.ts";
import { folderSize } from "../src-main/tools/copy-folder.ts";
import { createSandbox } from "../src-main/tools/sandbox/sandbox.ts";
import { type Bench, percentile, type Row, row } from "./row.ts";

const workspaces = 32;
const files = 5000;
const packages = 2000;

async function writePackages(root: string): Promise<void> {
  for (let at = 0; at < packages; at++) {
    const home = join(root, "node_modules", `package-${at % 100}`);
    if (at < 100) await mkdir(home, { recursive: true });
    await writeFile(join(home, `${at}.js`), `module.exports = ${at};\n`.repeat(50));
  }
}

/** Milliseconds of jj alone, in a terminal, for one workspace. */
async function bareWorkspace(
  { repository, folder, terminal }: TestRepository,
  changes: readonly string[],
): Promise<number> {
  const times: number[] = [];
  for (const [at, change] of changes.slice(0, 3).entries()) {
    const begun = performance.now();
    const place = join(folder, `bare-${at}`);
    const args = ["workspace", "add", "--no-colocate", "--name", `bare-${at}`, "-r", change, place];
    await execa(toolPath("jj"), args, { cwd: repository.root });
    await execa(toolPath("jj"), ["edit", "-r", change], { cwd: place });
    times.push(performance.now() - begun);
    await terminal(["workspace", "forget", `bare-${at}`]);
  }
  return percentile(times, 50);
}

/** How late the event loop of an idle process is (ms, p99): on a machine that others keep busy it is late, too. */
async function idleDelay(): Promise<number> {
  const idle = monitorEventLoopDelay({ resolution: 5 });
  idle.enable();
  await pause(5_000);
  idle.disable();
  return idle.percentile(99) / 1e6;
}

const goFile = (at: number): string =>
  `package main\n\nimport (\n\t"net/http"\n\t"net/http/httptest"\n\t"testing"\n)\n\nfunc Test${at}(t *testing.T) {\n\tanswer := httptest.NewRecorder()\n\thttp.NotFound(answer, httptest.NewRequest("GET", "/", nil))\n\tif answer.Code != 404 {\n\t\tt.Fatal(answer.Code)\n\t}\n}\n`;

/** A crate as `cargo vendor` leaves it, with enough code that a build of it is seen. */
const vendoredCrate = Array.from(
  { length: 3000 },
  (_, at) => `pub fn f${at}(x: &str) -> String { format!("{x}-{}", x.len() + ${at}) }`,
).join("\n");

/** Small projects with a suite that builds something. */
const projects: readonly {
  readonly language: string;
  readonly suite: string;
  readonly files: Readonly<Record<string, string>>;
}[] = [
  {
    language: "Go",
    suite: "go test -count=1 ./...",
    files: {
      "go.mod": "module hox.example/small\n\ngo 1.19\n",
      ...Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`p${at}/p_test.go`, goFile(at)])),
    },
  },
  {
    language: "Rust",
    suite: "cargo test --quiet --offline",
    files: {
      ".gitignore": "target\n",
      "Cargo.toml":
        '[package]\nname = "small"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\ndependency = "1.0.0"\n',
      "Cargo.lock":
        'version = 3\n\n[[package]]\nname = "dependency"\nversion = "1.0.0"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\n\n[[package]]\nname = "small"\nversion = "0.1.0"\ndependencies = [\n "dependency",\n]\n',
      ".cargo/config.toml":
        '[source.crates-io]\nreplace-with = "vendored"\n\n[source.vendored]\ndirectory = "crates"\n',
      "crates/dependency/Cargo.toml": '[package]\nname = "dependency"\nversion = "1.0.0"\nedition = "2021"\n',
      "crates/dependency/src/lib.rs": vendoredCrate,
      "crates/dependency/.cargo-checksum.json": '{"files":{}}',
      "src/lib.rs": '#[test]\nfn joins() {\n    assert_eq!(dependency::f0("a"), "a-1");\n}\n',
    },
  },
];

/** CPU seconds of a project's suite in a fresh checkout, and of a second run in the same folder, which is warm. */
async function* suites(): AsyncGenerator<Row> {
  for (const { language, suite, files: projectFiles } of projects) {
    const { repository, folder, remove } = await createTestRepository({ files: projectFiles });
    const stateFolder = join(folder, "state");
    const ended = new AbortController();
    const sandbox = await createSandbox({ allowUnsandboxed: false, repository: repository.root });
    const host = {
      ...{ id: "bench", stateFolder, repository, runEnded: ended, config: defaultConfig, now: Date.now },
      gitViews: createGitViews({ repository, stateFolder, emit: () => undefined, base: () => null }),
      appendTranscript: () => undefined,
      sandbox: async () => sandbox,
    };
    const [base] = await repository.parentsOf("@");
    if (!base) throw new Error("No base.");
    const run = { environment: {}, signal: ended.signal, show: () => undefined };
    const measure = async (): Promise<readonly number[]> => {
      const failed = (what: string, detail: string): never => {
        throw new Error(`${what}: ${detail}`);
      };
      const places = await setUpCheckouts(host, base.commitId, { ...run, failed, base: base.commitId });
      const place = await places.checkout();
      const seconds: number[] = [];
      for (let nth = 0; nth < 2; nth++) {
        const { output } = await place.run({ ...run, command: `${suite} && times`, timeoutMs: 600_000 });
        const [, minutes, rest, systemMinutes, system] =
          /(\d+)m([\d.]+)s (\d+)m([\d.]+)s\s*$/u.exec(output) ?? [];
        if (system === undefined) throw new Error(`The suite failed: ${output}`);
        seconds.push(Number(minutes) * 60 + Number(rest) + Number(systemMinutes) * 60 + Number(system));
      }
      await places.remove();
      return seconds;
    };
    try {
      const [cold = 0] = await measure();
      await lookAtBase(host, {
        ...{ commit: base.commitId, given: { fast: [suite], slow: [] }, keepsBuildCaches: true },
        ...{ usesKept: false, mayRun: async () => undefined, ...run },
      });
      const [fresh = 0, warm = 0] = await measure();
      yield row({
        name: `a ${language} suite in a fresh checkout, beside a second run there (${cold.toFixed(1)} s without caches)`,
        value: fresh,
        unit: "CPU s",
        reference: warm,
        hold: "≤ 1.5 × the second run",
        ok: fresh <= 1.5 * warm,
      });
    } finally {
      await repository.close();
      await remove();
    }
  }
}

/**
 * Everything that 32 agents ask for when they begin at once: a workspace each, ports, a copy of the packages, and the
 * size of it all. Compared with jj alone, in a terminal, for the same number of workspaces.
 */
const bench: Bench = {
  name: "workspaces",
  async *run() {
    yield* suites();
    const repo = await createTestRepository({
      files: {
        ".gitignore": "node_modules/\n",
        ...Object.fromEntries(
          Array.from({ length: files }, (_, at) => [`src/${at % 50}/${at}.txt`, `line ${at}\n`.repeat(20)]),
        ),
      },
    });
    const { repository, folder } = repo;
    try {
      await writePackages(repository.root);
      const changes: string[] = [];
      for (let at = 0; at < workspaces; at++)
        changes.push((await repository.newChange({ parents: ["@-"], description: `Task ${at}\n` })).changeId);
      const alone = (await bareWorkspace(repo, changes)) * workspaces;

      const { signal } = new AbortController();
      const idleMs = await idleDelay();
      const delay = monitorEventLoopDelay({ resolution: 5 });
      delay.enable();
      const begun = performance.now();
      await Promise.all(
        changes.map(async (change, at) => {
          const place = join(folder, `agent-${at}`);
          await repository.addWorkspace({ name: `agent-${at}`, folder: place, change, edit: true });
          await leasePorts(join(folder, "ports.sqlite"), place, { first: 42_000, count: 10 });
          await copyCaches({
            root: repository.root,
            workspace: place,
            caches: ["node_modules"],
            signal,
            show: () => undefined,
          });
          await folderSize(place, signal);
        }),
      );
      const took = performance.now() - begun;
      delay.disable();
      yield* [
        row({
          name: `${workspaces} workspaces of ${files} files, with ports and ${packages} files of packages each`,
          value: took / 1000,
          unit: "s",
          reference: alone / 1000,
          hold: "≤ 2 × jj alone",
          ok: took <= alone * 2,
        }),
        row({
          name: `event-loop delay while ${workspaces} workspaces are made, p99`,
          value: delay.percentile(99) / 1e6,
          unit: "ms",
          reference: idleMs,
          hold: "≤ 20 ms, or 2 × an idle process",
          ok: delay.percentile(99) / 1e6 <= Math.max(20, 2 * idleMs),
        }),
      ];
    } finally {
      await repo.remove();
    }
  },
};
export default bench;
