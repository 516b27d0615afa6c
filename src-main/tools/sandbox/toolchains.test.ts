import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { tempDir } from "../../testing/kit.ts";
import { workspaceView } from "./sandbox.ts";
import { findToolchains, noToolchains } from "./toolchains.ts";

let home: string;
beforeEach(() => {
  home = tempDir();
});

const put = (path: string, text: string | Uint8Array = "x"): string => {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o755 });
  return file;
};
const found = (env: Readonly<Record<string, string>> = {}, repository: string | null = null) =>
  findToolchains({ home, env, repository });

test("the user's tools are found without their shell's environment", () => {
  for (const path of [
    ...[".cargo/bin/cargo", ".cargo/registry/cache/x/a.crate", ".rustup/toolchains/stable/bin/rustc"],
    ...[
      "go/pkg/mod/example.com/dep@v1.0.0/dep.go",
      "go/bin/tool",
      ".sdkman/candidates/java/current/bin/java",
    ],
    ...["miniforge3/condabin/conda", ".local/share/pnpm/pnpm", ".local/share/fnm/aliases/default/bin/node"],
    ...[
      ".m2/repository/a/a.jar",
      ".gradle/caches/modules-2/a",
      ".rbenv/shims/ruby",
      ".gem/ruby/3.3.0/gems/a",
    ],
    ...[".config/composer/vendor/bin/phpunit", ".mix/archives/hex", ".nuget/packages/a/a.dll", ".cache/uv/a"],
    ...[".linuxbrew/bin/brew-tool", ".local/share/pipx/venvs/black/bin/black"],
  ])
    put(path);
  put(".local/bin/uv", Buffer.from("7f454c4602", "hex"));
  put(".local/bin/deploy", "#!/bin/sh\nTOKEN=canary\n");
  symlinkSync(join(home, ".local/share/pipx/venvs/black/bin/black"), join(home, ".local/bin/black"));

  const { readable, searchPath, environment, layeredEnvironment, caches, links } = found({
    PATH: "/usr/bin:/bin",
  });
  const inHome = (paths: readonly string[]): string[] => paths.map((path) => join(home, path));
  expect(readable).toEqual(
    expect.arrayContaining(
      inHome([
        ...[".cargo/registry", ".rustup", "go/pkg", ".m2/repository", ".gradle/caches", ".nuget/packages"],
        ...[".sdkman/candidates", "miniforge3", ".rbenv", ".mix", ".linuxbrew/bin", ".local/bin/uv"],
      ]),
    ),
  );
  // What a user's scripts hold is theirs, and nothing is shown as a whole that holds a token beside its programs.
  for (const closed of [
    ".cargo",
    ".m2",
    ".gradle",
    ".nuget",
    ".config/composer",
    ".local/bin",
    ".local/bin/deploy",
  ])
    expect(readable).not.toContain(join(home, closed));
  expect(links).toEqual([
    { path: join(home, ".local/bin/black"), target: join(home, ".local/share/pipx/venvs/black/bin/black") },
  ]);
  const system = searchPath.indexOf("/usr/bin");
  for (const programs of [
    ".cargo/bin",
    "go/bin",
    ".rbenv/shims",
    ".local/share/pnpm",
    "miniforge3/condabin",
  ]) {
    expect(searchPath).toContain(join(home, programs));
    expect(searchPath.indexOf(join(home, programs))).toBeLessThan(system);
  }
  expect(environment).toMatchObject({
    CARGO_HOME: join(home, ".cargo"),
    GOMODCACHE: join(home, "go/pkg/mod"),
    GRADLE_RO_DEP_CACHE: join(home, ".gradle/caches"),
    MAVEN_OPTS: `-Dmaven.repo.local=${home}/.m2/repository`,
    GEM_PATH: join(home, ".gem/ruby/3.3.0"),
    NUGET_PACKAGES: join(home, ".nuget/packages"),
  });
  // uv writes where it reads: it is told of a cache only where a workspace has a layer above it.
  expect(environment.UV_CACHE_DIR).toBeUndefined();
  expect(layeredEnvironment.UV_CACHE_DIR).toBe(join(home, ".cache/uv"));
  expect(caches).toEqual(expect.arrayContaining(inHome([".cargo/registry", ".m2/repository", ".cache/uv"])));
});

test("variables give tools' paths, and none opens the home folder, the repository or the machine", () => {
  put("tools/cargo/registry/a");
  put("tools/rustup/a");
  const repository = dirname(put("work/project/readme.md"));
  expect(found({ CARGO_HOME: join(home, "tools/cargo") }).environment.CARGO_HOME).toBe(
    join(home, "tools/cargo"),
  );
  for (const RUSTUP_HOME of [
    home,
    "/",
    dirname(home),
    `${home}/`,
    "tools/rustup",
    repository,
    `${home}/work`,
  ]) {
    const { readable, environment } = found({ RUSTUP_HOME }, repository);
    expect([readable.filter((path) => home.startsWith(path)), environment.RUSTUP_HOME]).toEqual([
      [],
      undefined,
    ]);
    expect(readable.filter((path) => repository.startsWith(path))).toEqual([]);
  }
});

test("the user's own Node comes before Hox's, and a session path in a shell's PATH is resolved to a version", () => {
  const node = dirname(put(".local/share/fnm/node-versions/v22/installation/bin/node"));
  const session = join(home, "run/fnm_multishells/1_2/bin");
  mkdirSync(dirname(session), { recursive: true });
  symlinkSync(node, session);
  const own = found({ PATH: `${session}:${home}/elsewhere:/usr/bin` }).searchPath;
  expect(own[0]).toBe(node);
  expect(own).not.toContain(session);
  expect(own).not.toContain(`${home}/elsewhere`);
  expect(own.filter((folder) => folder.includes("/node_modules/"))).toEqual([]);
});

test("cargo's settings are visible without registry credentials", () => {
  put(".cargo/registry/a");
  put(
    ".cargo/config.toml",
    `[registries.own]\nindex = "sparse+https://me:canary@example.com/index/"\ntoken = "Bearer canary"
[registry]\ndefault = "own"\ntoken = "canary"\n[env]\nKEY = "canary"\n[http]\nproxy = "http://canary@example.com"
[build]\ntarget-dir = "/elsewhere"\nrustflags = ["-Cdebuginfo=0"]\n[source.crates-io]\nreplace-with = "own"\n`,
  );
  const [settings] = found().files;
  expect(settings?.path).toBe(join(home, ".cargo/config.toml"));
  expect(settings?.text).not.toContain("canary");
  expect(settings?.text).not.toContain("target-dir");
  for (const kept of ['replace-with = "own"', "-Cdebuginfo=0", 'index = "sparse+https://example.com/index/"'])
    expect(settings?.text).toContain(kept);
});

test("a workspace is at its repository's path, unless commands need something else there", () => {
  const of = (repository: string | null, readable: readonly string[] = []) =>
    workspaceView("/state/agent-1", repository, { ...noToolchains, readable }, "/home/me");
  expect(of("/home/me/project")).toBe("/home/me/project");
  expect(of("/usr/src/project")).toBe("/usr/src/project");
  for (const taken of [
    "/home/me",
    "/home",
    "/",
    "/tmp",
    "/etc/project",
    "/state",
    "/usr",
    "/proc/1",
    "/dev/shm",
  ])
    expect([taken, of(taken)]).toEqual([taken, "/state/agent-1"]);
  expect(of("/home/me/sdk", ["/home/me/sdk/go1.22"])).toBe("/state/agent-1");
  expect(of(null)).toBe("/state/agent-1");
});
