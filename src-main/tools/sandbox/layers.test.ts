import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { toolPath } from "../../config/tools.ts";
import { tempDir } from "../../testing/kit.ts";
import { workspaceFiles } from "../workspace-files.ts";
import { supportedToolchains } from "./known-toolchains.ts";
import { addWorkspaceLayer, canLayer, layersFolder } from "./layers.ts";
import { createSandbox } from "./sandbox.ts";
import { makeHome, removeWorkspaceData } from "./workspace-home.ts";

let folder: string;
let home: string;
let workspace: string;

beforeEach(async () => {
  folder = tempDir();
  home = join(folder, "home");
  workspace = join(folder, "run/agent-1");
  mkdirSync(join(workspace, ".jj"), { recursive: true });
  for (const variable of supportedToolchains.flatMap(({ variables = [] }) => variables))
    vi.stubEnv(variable, "");
  vi.stubEnv("HOME", home);
  await makeHome(workspace);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const put = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
async function run(command: string) {
  const sandbox = await createSandbox({ allowUnsandboxed: false });
  return sandbox.run({
    command,
    workspace,
    environment: {},
    timeoutMs: 20_000,
    signal: new AbortController().signal,
  });
}

const isLayered = process.platform === "linux" && (await canLayer(tmpdir(), toolPath("sandbox")));

describe.runIf(isLayered)("layers", () => {
  it("let a tool write to a shared cache, invisible to others", async () => {
    const crate = join(home, ".cargo/registry/cache/index/pad-1.0.0.crate");
    put(crate, "pad");
    put(join(home, ".npm/_cacache/index-v5/a"), "entry");
    put(join(home, ".cache/uv/archive-v0/a"), "wheel");
    const { output } = await run(
      `exec 2>/dev/null; cd $CARGO_HOME/registry && rm cache/index/pad-1.0.0.crate && mkdir src && echo new > src/new && echo $UV_CACHE_DIR
      cat ~/.npm/_cacache/index-v5/a && echo; echo more >> ~/.npm/_cacache/index-v5/a; whoami; id -u; tr '\\0' ' ' < /proc/1/environ; umount $CARGO_HOME/registry; ls -d /proc/[0-9]* | wc -l`,
    );
    const [cache, entry, , user, ...rest] = output.split("\n");
    expect([cache, entry]).toEqual([join(home, ".cache/uv"), "entry"]);
    expect(user).toBe(String(process.getuid?.()));
    expect(rest.join("\n")).not.toMatch(/PATH|HOME/u);
    expect(readFileSync(crate, "utf8")).toBe("pad");
    expect(readFileSync(join(home, ".npm/_cacache/index-v5/a"), "utf8")).toBe("entry");
    // Kept for the next command, and gone with the workspace.
    const next = await run(
      "ls $CARGO_HOME/registry/src $CARGO_HOME/registry/cache/index; cat ~/.npm/_cacache/index-v5/a",
    );
    expect(next.output).toMatch(/src:\nnew\n/u);
    expect(next.output).not.toContain("pad-1.0.0");
    expect(next.output).toContain("entrymore");
    await removeWorkspaceData(workspace);
    expect(existsSync(layersFolder(workspace))).toBe(false);
  });

  it("are used in a workspace for packages that all workspaces share", async () => {
    const lower = join(folder, "shared/node_modules-1");
    put(join(lower, "pad/index.js"), "module.exports = 'shared';");
    put(join(lower, ".gitignore"), "*\n");
    mkdirSync(join(workspace, "node_modules"));
    await addWorkspaceLayer(workspace, { lower, destination: "node_modules" });
    const read = "node -p 'require(\"pad\")'";
    const { output } = await run(
      `exec 2>/dev/null; ${read}; echo "module.exports = 'changed';" > node_modules/pad/index.js; ${read}
      rm -rf node_modules || mv node_modules away; ln -s /etc node_modules; ls -d node_modules; ls -A node_modules`,
    );
    expect(output).toMatch(/^shared\nchanged\n/u);
    expect(output).toMatch(/\nnode_modules\n/u);
    expect(readFileSync(join(lower, "pad/index.js"), "utf8")).toBe("module.exports = 'shared';");
    expect(readdirSync(join(workspace, "node_modules"))).toEqual([]);
    // A change of its own is no matter of file tools: they read what is shared, and write nothing there.
    const files = workspaceFiles({ workspace });
    expect(await files.readText("node_modules/pad/index.js")).toMatchObject({
      path: "node_modules/pad/index.js",
      text: "module.exports = 'shared';",
    });
    expect(await files.list("node_modules", { recursive: true, limit: 9 })).toContain(
      "node_modules/pad/index.js",
    );
    await expect(files.writeText("node_modules/pad/index.js", "x")).rejects.toMatchObject({
      kind: "not-allowed",
    });
    await expect(files.readText("node_modules/../../shared/x")).rejects.toMatchObject({
      kind: "outside-workspace",
    });
  });
});
