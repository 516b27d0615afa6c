import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { tempDir } from "../../testing/kit.ts";
import { supportedToolchains } from "./known-toolchains.ts";
import { endOrphanedSandboxes } from "./process-tree.ts";
import { createSandbox, type SandboxOptions } from "./sandbox.ts";
import { homeFolder, makeHome, removeWorkspaceData } from "./workspace-home.ts";

const canary = "canary-4711-super-secret";
let folder: string;
let home: string;
let repository: string;
let workspace: string;

beforeEach(() => {
  folder = tempDir();
  home = join(folder, "home");
  repository = join(home, "work/project");
  workspace = join(folder, "state/workspaces/run/agent-1");
  for (const made of [repository, join(workspace, ".jj"), home]) mkdirSync(made, { recursive: true });
  // Of the machine that runs the tests nothing is looked for.
  for (const variable of supportedToolchains.flatMap(({ variables = [] }) => variables))
    vi.stubEnv(variable, "");
  vi.stubEnv("HOME", home);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const put = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o755 });
};
async function run(command: string, options: Partial<SandboxOptions> = {}) {
  const sandbox = await createSandbox({ allowUnsandboxed: false, repository, ...options });
  return sandbox.run({
    command,
    workspace,
    environment: {},
    timeoutMs: 20_000,
    signal: new AbortController().signal,
  });
}

/** Everything that opens a door, where its tool keeps it. */
const doors = [
  ...[".cargo/credentials.toml", ".cargo/credentials", ".npmrc", ".yarnrc.yml", ".config/pnpm/rc", ".pypirc"],
  ...[
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".gradle/gradle.properties",
    ".gradle/init.d/own.gradle",
  ],
  ...[
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".nuget/NuGet/NuGet.Config",
    ".config/pip/pip.conf",
  ],
  ...[".pip/pip.conf", ".netrc", ".git-credentials", ".gitconfig", ".ssh/id_ed25519", ".aws/credentials"],
  ...[".gem/credentials", ".local/share/gem/credentials", ".bundle/config", ".hex/hex.config", ".condarc"],
  ...[
    ".config/pypoetry/auth.toml",
    ".docker/config.json",
    ".kube/config",
    ".config/gh/hosts.yml",
    ".bash_history",
  ],
  ...[
    ".sdkman/etc/config",
    ".dotnet/corefx/cryptography/x509stores/my/key.pfx",
    ".local/bin/deploy",
    ".bashrc",
  ],
  ...[
    ".local/share/keyrings/login.keyring",
    ".config/uv/uv.toml",
    ".config/mise/config.toml",
    ".linuxbrew/var/db",
  ],
  // Within folders that are shown.
  ...[
    "miniforge3/.condarc",
    "miniforge3/pkgs/urls.txt",
    ".nvm/versions/node/v22/etc/npmrc",
    ".mix/hex.config",
  ],
  ...[".local/share/pnpm/.npmrc", ".config/composer/vendor/auth.json", ".pyenv/versions/3.12/pip.conf"],
  ...[".asdf/installs/nodejs/22/etc/npmrc", ".local/share/pipx/venvs/black/pip.conf"],
];

describe.runIf(process.platform === "linux")("a command's environment", () => {
  it("has the packages of every tool and no credentials", async () => {
    for (const path of doors) put(join(home, path), `token = ${canary}\n`);
    put(join(home, ".cargo/config.toml"), `[registry]\ntoken = "${canary}"\n[build]\njobs = 3\n`);
    put(join(repository, "uncommitted.txt"), canary);
    const packages = [
      ...[
        ".cargo/registry/cache/a.crate",
        ".m2/repository/a.jar",
        ".gradle/caches/modules-2/a",
        ".mix/archives/a",
      ],
      ...[
        ".config/composer/vendor/a",
        ".nuget/packages/a",
        ".gem/ruby/3/a",
        ".hex/packages/a.tar",
        ".nvm/alias/a",
      ],
      ...[
        "miniforge3/lib/a",
        ".pyenv/versions/3.12/lib/a",
        ".local/share/pnpm/store/a",
        ".sdkman/candidates/a",
      ],
    ];
    for (const path of packages) put(join(home, path), "package");
    const files = packages.map((path) => `"${path}"`).join(" ");
    const { output } = await run(
      `cd ${home} && cat ${files} | sed 's/package/package\\n/g' | grep -c package
      cat .cargo/config.toml; grep -rs canary ${folder} /etc /run /sandbox /tmp; echo searched`,
    );
    expect(output).toMatch(new RegExp(`^${packages.length}\n`, "u"));
    expect(output).toContain("jobs = 3");
    expect(output).toContain("searched");
    expect(output).not.toContain("canary");
    // Each of them is there for the user.
    expect(doors.filter((path) => !readFileSync(join(home, path), "utf8").includes(canary))).toEqual([]);
  });

  it("has a user, a name for this machine, and no name server", async () => {
    const { output } = await run(
      `whoami; getent passwd $(id -u) | cut -d: -f6; getent hosts localhost | head -1; getent hosts $(hostname) | head -1
      getent hosts example.com || echo nobody; wc -l < /etc/resolv.conf; ls /etc/shadow /etc/machine-id 2>&1 | grep -c 'No such'
      node -e 'const s = require("http").createServer((q, a) => a.end("served")).listen(0, "localhost", async () => {
        console.log(await (await fetch("http://localhost:" + s.address().port)).text()); s.close(); });'`,
    );
    const [user, home, localhost, own, other, servers, absent, served] = output.split("\n");
    expect([user, home]).toEqual([userInfo().username, "/tmp/home"]);
    expect([localhost, own]).toEqual([
      expect.stringMatching(/localhost/u),
      expect.stringMatching(/sandbox/u),
    ]);
    expect([other, servers, absent, served]).toEqual(["nobody", "0", "2", "served"]);
  });

  it("keeps HOME as long as the workspace, and follows no link in it", async () => {
    await makeHome(workspace);
    await run("echo kept > ~/tool.cache; ln -s /etc ~/.cargo; rmdir ~");
    const { output } = await run(
      "cat ~/tool.cache; readlink ~/.cargo; echo $HOME; touch ~/../beside 2>/dev/null || echo closed",
    );
    expect(output).toMatch(/^kept\n\/etc\n\/sandbox\/home\nclosed\n$/u);
    await removeWorkspaceData(workspace);
    expect(existsSync(homeFolder(workspace))).toBe(false);
    expect((await run("ls -A ~; echo $HOME")).output).toBe("/tmp/home\n");
  });

  it("has the workspace at its repository's path, with the packages that were installed there", async () => {
    const project = join(repository, ".venv");
    for (const root of [repository, workspace]) {
      put(join(root, ".venv/pyvenv.cfg"), "home = /usr/bin\n");
      // As installers write it: by the path of the user's folder.
      put(join(root, ".venv/bin/tool"), `#!/bin/sh\n. ${project}/lib.sh\n`);
      put(join(root, ".venv/lib.sh"), `echo ${root === workspace ? "of the workspace" : canary}`);
    }
    put(join(workspace, ".env"), "KEY=value");
    const { output, restored } = await run(
      `exec 2>/dev/null; pwd; tool; echo $VIRTUAL_ENV; cd ${workspace} && pwd -P; ls -a; echo made > ${repository}/made.txt
      echo x > ${repository}/.env; echo x > ${workspace}/.jj/planted; echo x > AGENTS.md; mv ${repository} ${home}/moved`,
    );
    expect(output).toContain(`${repository}\nof the workspace\n${project}\n${repository}\n`);
    expect(output).not.toContain(canary);
    expect(readFileSync(join(workspace, "made.txt"), "utf8")).toBe("made\n");
    expect(existsSync(join(repository, "made.txt"))).toBe(false);
    expect(readFileSync(join(workspace, ".env"), "utf8")).toBe("KEY=value");
    expect([existsSync(join(workspace, ".jj/planted")), restored]).toEqual([false, ["AGENTS.md"]]);
  });

  it("is recognised as a command of its workspace when its host has lost it", async () => {
    const lost = run("touch started; sleep 60");
    await expect.poll(() => existsSync(join(workspace, "started")), { timeout: 60_000 }).toBe(true);
    await endOrphanedSandboxes(join(folder, "state/workspaces"));
    expect((await lost).outcome).toBe("exited");
  });
});
