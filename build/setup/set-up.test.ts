import { spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cacheFolder } from "../../src-main/config/state-folder.ts";
import { checkoutFile, findTool } from "../../src-main/config/tools.ts";
import { cacheFolder as plainCacheFolder } from "./cache-folder.mjs";
import { sourcesFor } from "./debian.mjs";
import { withLock } from "./lock.mjs";
import { packagesInPlace } from "./packages.mjs";
import { atLeast, found, missing } from "./part.mjs";
import { checkoutFile as recordedCheckout } from "./recorded-parts.mjs";
import { run } from "./run-program.mjs";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hox-set-up-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};

const module = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href);

describe("set-up and the app", () => {
  it("use the same cache folder on every system", () => {
    for (const platform of ["linux", "darwin", "win32"] as const) {
      for (const env of [{}, { XDG_CACHE_HOME: "/x" }, { LOCALAPPDATA: "/local" }]) {
        const surroundings = { platform, env, home: "/home/ann" };
        expect(plainCacheFolder(surroundings)).toBe(cacheFolder(surroundings));
      }
    }
  });

  it("share tools.json: each finds what the other records", () => {
    const parts = {
      jj: found(process.execPath, { version: "0.46.0" }),
      browser: missing("none", "Install one."),
    };
    write("tools.json", JSON.stringify(parts));
    expect(findTool("jj", folder)).toMatchObject({ found: true, path: process.execPath, version: "0.46.0" });
  });

  it("use one file per checkout", () => {
    for (const checkout of ["/work/one", "/work/one/"])
      expect(checkoutFile("/cache", checkout)).toBe(recordedCheckout("/cache", checkout));
  });
});

/** A checkout with its own copy of set-up and a Node of its own. */
const checkout = (name: string): string => {
  const project = join(folder, name);
  cpSync(fileURLToPath(new URL(".", import.meta.url)), join(project, "build", "setup"), {
    recursive: true,
  });
  const shared = "src-main/config/program-folders.mjs";
  cpSync(fileURLToPath(new URL(`../../${shared}`, import.meta.url)), join(project, shared));
  write(`${name}/package.json`, "{}");
  write(`${name}/package-lock.json`, JSON.stringify({ packages: {} }));
  write(`${name}/node_modules/.package-lock.json`, JSON.stringify({ packages: {} }));
  write(`${name}/node_modules/node/package.json`, JSON.stringify({ version: "24.0.0" }));
  write(`${name}/node_modules/node/bin/node`, "#!/bin/sh\necho v24.0.0\n");
  chmodSync(join(project, "node_modules/node/bin/node"), 0o755);
  return realpathSync(project);
};
const setUp = async (project: string, programs: Record<string, string> = {}): Promise<string> => {
  const script = `import { setUp } from ${JSON.stringify(pathToFileURL(join(project, "build/setup/set-up.mjs")).href)};
    process.stdout.write((await setUp()).node.path);`;
  const { HOX_NODE: _, ...env } = process.env;
  const { code, output } = await run(process.execPath, ["--input-type=module", "-e", script], {
    // Whatever answers: nothing of the machine is to be looked for or fetched.
    env: {
      ...env,
      XDG_CACHE_HOME: folder,
      HOX_ELECTRON: "off",
      ...Object.fromEntries(
        ["HOX_JJ", "HOX_GIT", "HOX_BROWSER", "HOX_SANDBOX"].map((name) => [name, process.execPath]),
      ),
      ...programs,
    },
  });
  expect(code, output).toBe(0);
  return output;
};

describe.skipIf(process.platform === "win32")("two checkouts with one cache", () => {
  it("run by their own Node each, also when the other is set up later or deleted", async () => {
    const cache = join(folder, "hox");
    const [one, other] = [checkout("one"), checkout("other")];
    const nodeOf = (project: string): string => join(project, "node_modules/node/bin/node");
    const known = (project: string) => findTool("node", cache, undefined, project);
    for (const project of [one, other, one]) expect(await setUp(project)).toContain(nodeOf(project));
    expect(known(one)).toMatchObject({ path: nodeOf(one), from: "set-up" });
    expect(known(other)).toMatchObject({ path: nodeOf(other), from: "set-up" });
    expect(readdirSync(join(cache, "checkouts"))).toHaveLength(2);
    // What the machine has is found once for both.
    expect(JSON.parse(readFileSync(join(cache, "tools.json"), "utf8"))).not.toHaveProperty("node");

    rmSync(other, { recursive: true });
    utimesSync(nodeOf(one), 1, 1);
    expect(await setUp(one)).toContain(nodeOf(one));
    expect(known(one)).toMatchObject({ path: nodeOf(one) });
    expect(readdirSync(join(cache, "checkouts"))).toHaveLength(1);
  });
});

describe.skipIf(process.platform === "win32")("a program set for one process", () => {
  /** Answers like a jj of that version. */
  const program = (name: string, version: string): string => {
    write(name, `#!/bin/sh\necho jj ${version}\n`);
    chmodSync(join(folder, name), 0o755);
    return join(folder, name);
  };
  const recordedJj = () => JSON.parse(readFileSync(join(folder, "hox", "tools.json"), "utf8")).jj;

  it("is not recorded for others, and the recorded one stays", async () => {
    const project = checkout("one");
    const wrapper = program("wrapper", "0.47.0");
    await setUp(project, { HOX_JJ: wrapper });
    expect(recordedJj()).toBeUndefined();

    program("bin/jj", "0.46.0");
    const PATH = `${join(folder, "bin")}:${process.env.PATH}`;
    await setUp(project, { HOX_JJ: "", PATH });
    expect(recordedJj()).toMatchObject({ path: join(folder, "bin/jj"), version: "0.46.0" });
    await setUp(project, { HOX_JJ: wrapper, PATH });
    await setUp(project, { HOX_JJ: join(folder, "nowhere"), PATH });
    expect(recordedJj()).toMatchObject({ path: join(folder, "bin/jj"), version: "0.46.0" });
  });
});

describe.skipIf(process.platform === "win32")("a machine without tools", () => {
  /** Gives up when what it waits for was not begun beside it. */
  const waitFor = (name: string): string =>
    `n=0; until [ -e ${join(folder, name)} ]; do n=$((n+1)); [ $n -lt 200 ] || exit 1; sleep 0.05; done`;

  it("gets npm's packages, jj and the browser in parallel", async () => {
    const project = checkout("fresh");
    rmSync(join(project, "node_modules/.package-lock.json"));
    write(
      "npm.js",
      `const { execSync } = require("node:child_process");
       execSync(${JSON.stringify(`${waitFor("jj-begun")}; ${waitFor("browser-begun")}`)});
       require("node:fs").writeFileSync("node_modules/.package-lock.json", '{ "packages": {} }');`,
    );
    write("jj", `#!/bin/sh\n: > ${join(folder, "jj-begun")}\n${waitFor("browser-begun")}\necho jj 0.46.0\n`);
    write("browser", `#!/bin/sh\n: > ${join(folder, "browser-begun")}\necho Chromium 150.0\n`);
    for (const name of ["jj", "browser"]) chmodSync(join(folder, name), 0o755);
    const programs = {
      npm_execpath: join(folder, "npm.js"),
      HOX_JJ: join(folder, "jj"),
      HOX_BROWSER: join(folder, "browser"),
    };
    expect(await setUp(project, programs)).toContain(project);
    for (const name of ["jj-begun", "browser-begun"]) expect(existsSync(join(folder, name))).toBe(true);
  });
});

describe("Debian's archives", () => {
  it("are those for this Debian, in either format, with another suite", () => {
    write(
      "sources.list",
      [
        "# deb http://commented.example/debian bookworm main",
        "deb [arch=amd64 signed-by=/k.gpg] http://one.example/debian bookworm main contrib # here",
        "deb http://security.example/debian-security bookworm-security main",
        "deb http://other.example/apt tool main",
        "deb http://part.example/debian bookworm contrib",
        "deb-src http://source.example/debian bookworm main",
      ].join("\n"),
    );
    write(
      "sources.list.d/debian.sources",
      [
        "Types: deb deb-src",
        "# deb http://commented.example",
        "URIs: http://two.example/debian",
        "  http://three.example/debian",
        "Suites: bookworm bookworm-updates",
        "Components: main",
        "Signed-By: /usr/share/keyrings/debian.gpg",
        "",
        "Types: deb",
        "URIs: http://off.example/debian",
        "Suites: bookworm",
        "Components: main",
        "Enabled: no",
      ].join("\n"),
    );
    write("sources.list.d/old.list.disabled", "deb http://disabled.example/debian bookworm main");
    expect(sourcesFor("sid", "bookworm", folder)).toEqual([
      "deb [arch=amd64 signed-by=/k.gpg] http://one.example/debian sid main",
      "deb [signed-by=/usr/share/keyrings/debian.gpg] http://two.example/debian sid main",
      "deb [signed-by=/usr/share/keyrings/debian.gpg] http://three.example/debian sid main",
    ]);
  });
});

describe("packages", () => {
  const lock = (version: string) =>
    JSON.stringify({
      packages: { "": {}, "node_modules/a": { version }, "node_modules/b": { version: "1", optional: true } },
    });

  it("are up to date when npm's record matches the lock file, and not after that has changed", () => {
    write("package-lock.json", lock("1.0.0"));
    expect(packagesInPlace(folder)).toBe(false);
    write("node_modules/.package-lock.json", lock("0.9.0"));
    expect(packagesInPlace(folder)).toBe(false);
    write(
      "node_modules/.package-lock.json",
      JSON.stringify({ packages: { "node_modules/a": { version: "1.0.0" } } }),
    );
    expect(packagesInPlace(folder)).toBe(true);
    rmSync(join(folder, "node_modules/.package-lock.json"));
    expect(packagesInPlace(folder)).toBe(true);
    write("package-lock.json", lock("1.0.1"));
    expect(packagesInPlace(folder)).toBe(false);
  });
});

describe("a lock", () => {
  it("lets one process in at a time", async () => {
    const script = `
      import { withLock } from ${module("./lock.mjs")};
      import { existsSync, writeFileSync, rmSync } from "node:fs";
      import { setTimeout as wait } from "node:timers/promises";
      await withLock("lock", async () => {
        if (existsSync("inside")) process.exit(1);
        writeFileSync("inside", "");
        await wait(50);
        rmSync("inside");
      });`;
    const ends = await Promise.all(
      Array.from({ length: 4 }, () =>
        run(process.execPath, ["--input-type=module", "-e", script], { cwd: folder }),
      ),
    );
    expect(ends.map(({ code, output }) => `${code}${output}`)).toEqual(["0", "0", "0", "0"]);
    expect(existsSync(join(folder, "lock"))).toBe(false);
  });

  it("is taken over from a process that has gone, and released after an error", async () => {
    const gone = spawn(process.execPath, ["-e", ""]);
    await new Promise((resolve) => gone.once("exit", resolve));
    write("lock", `${gone.pid}\n`);
    const path = join(folder, "lock");
    expect(await withLock(path, async () => readFileSync(path, "utf8"))).toBe(`${process.pid}\n`);
    await expect(withLock(path, () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    expect(existsSync(path)).toBe(false);
  });
});

describe("a part", () => {
  it("is checked again when its file changes", () => {
    write("tool", "one");
    const before = found(join(folder, "tool")).stamp;
    expect(found(join(folder, "tool")).stamp).toBe(before);
    utimesSync(join(folder, "tool"), 1, 1);
    expect(found(join(folder, "tool")).stamp).not.toBe(before);
  });

  it("compares versions as numbers", () => {
    expect(atLeast("0.46.0", "0.44")).toBe(true);
    expect(atLeast("0.9.0", "0.44")).toBe(false);
    expect(atLeast("24", "22.13")).toBe(true);
    expect(atLeast(undefined, "0.44")).toBe(false);
  });
});

it("a program that times out is stopped with all its children", async () => {
  const { code, timedOut } = await run("/bin/sh", ["-c", "sleep 30 & sleep 30"], { limitMs: 200 });
  expect({ code, timedOut }).toEqual({ code: 124, timedOut: true });
  expect((await run(join(folder, "nothing"), [])).code).toBe(127);
});

it.skipIf(process.platform === "win32")("set-up's programs get no model API key", async () => {
  const env = { ...process.env, ANTHROPIC_API_KEY: "sk-ant-canary", NPM_TOKEN: "theirs" };
  const { output } = await run("/bin/sh", ["-c", "env"], { env });
  expect(output).toContain("NPM_TOKEN=theirs");
  expect(output).not.toContain("canary");
});
