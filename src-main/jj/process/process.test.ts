import { chmod, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { tempDir } from "../../testing/kit.ts";
import { createJj } from "./process.ts";

let folder: string;
beforeEach(() => {
  folder = tempDir();
});
afterEach(async () => {
  vi.unstubAllEnvs();
});

it("jj finds git where package managers put it, also for an app started from the desktop", async () => {
  const isWindows = process.platform === "win32";
  const program = join(folder, isWindows ? "jj.cmd" : "jj");
  await writeFile(program, isWindows ? "@echo %PATH%\r\n" : '#!/bin/sh\necho "$PATH"\n');
  await chmod(program, 0o755);
  vi.stubEnv("HOX_JJ", program);
  vi.stubEnv("CARGO_HOME", undefined);
  vi.stubEnv("PATH", isWindows ? "C:\\Windows\\System32" : "/usr/bin:/bin");
  const { stdout } = await createJj().run({ args: [], cwd: folder });
  expect(stdout).toContain(join(homedir(), ".cargo", "bin"));
  expect(stdout).toContain(isWindows ? "System32" : "/usr/bin");
});
