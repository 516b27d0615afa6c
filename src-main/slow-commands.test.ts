import { execFileSync } from "node:child_process";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { toolPath } from "./config/tools.ts";
import { printSlowCommands } from "./end-signals.ts";
import { createHostState } from "./host.ts";
import { createJj } from "./jj/process/process.ts";
import { eventually, tempDir } from "./testing/kit.ts";

let folder: string;
beforeEach(() => {
  folder = tempDir();
});
afterEach(async () => {
  vi.unstubAllEnvs();
});

test("a stopped jj is shown with its time, on screen and in the terminal, until it continues and ends", async () => {
  const host = await createHostState({ shell: "browser", version: "1", stateFolder: join(folder, "state") });
  const jj = toolPath("jj");
  const stopping = join(folder, "jj");
  await writeFile(stopping, `#!/bin/sh\necho $$ > '${folder}/pid'\nkill -STOP $$\nexec '${jj}' "$@"\n`);
  await chmod(stopping, 0o755);
  const printed: string[] = [];
  const stop = printSlowCommands((line) => printed.push(line));
  try {
    await createJj({ slowAfterMs: 100_000 }).run({ args: ["--version"], cwd: folder });
    expect(printed).toEqual([]);

    vi.stubEnv("HOX_JJ", stopping);
    const slow = createJj({ slowAfterMs: 1_000 }).run({
      args: ["-R", folder, "--ignore-working-copy", "workspace", "root", "--help"],
      cwd: folder,
    });
    await eventually(() => expect(host.app().slowCommands).toHaveLength(1));
    expect(host.app().slowCommands).toMatchObject([
      { command: "jj workspace root", folder, limitMs: 120_000 },
    ]);
    expect(printed).toEqual([
      expect.stringMatching(/^jj workspace root has been running for \d+ s; .*120 s\.$/u),
    ]);

    const pid = await eventually(async () => {
      const id = (await readFile(join(folder, "pid"), "utf8")).trim();
      expect(execFileSync("ps", ["-o", "stat=", "-p", id], { encoding: "utf8" })).toMatch(/^T/u);
      return Number(id);
    });
    process.kill(pid, "SIGCONT");
    await slow;
    expect(host.app().slowCommands).toEqual([]);
    expect(printed.slice(1)).toEqual([
      expect.stringMatching(/^jj workspace root has ended, after \d+ s\.$/u),
    ]);
  } finally {
    stop();
    await host.close();
  }
});
