import { spawn } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runElectron, whyNotStarted } from "./run-electron.mjs";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hox-run-electron-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A program that ends as Electron's does, and the line that a user reads. */
async function endAs(script: string) {
  const program = join(folder, "electron");
  await writeFile(program, `#!/bin/sh\n${script}\n`);
  await chmod(program, 0o755);
  return runElectron(program, []);
}

it("reports an Electron that never started differently from one that ended, with the remedy in one line", async () => {
  // In these words Electron says it on Ubuntu 24.04.
  const refused = await endAs(
    'echo "[1:1122/0:FATAL:setuid_sandbox_host.cc(163)] The SUID sandbox helper binary was found, but is not configured correctly. Rather than run without sandboxing I\'m aborting now." >&2; kill -TRAP $$',
  );
  expect(refused).toMatchObject({ code: 133, notStarted: expect.stringContaining("AppArmor") });
  expect(refused.notStarted).not.toContain("\n");
  const none =
    "echo 'FATAL:zygote_host_impl_linux.cc(126)] No usable sandbox! Update your kernel' >&2; kill -ABRT $$";
  expect((await endAs(none)).notStarted).toContain("userns");
  const missing =
    "echo 'electron: error while loading shared libraries: libgtk-3.so.0: cannot open' >&2; exit 127";
  expect((await endAs(missing)).notStarted).toMatch(/libgtk-3\.so\.0.*install/u);
  expect((await endAs("echo 'Missing X server or $DISPLAY' >&2; exit 1")).notStarted).toContain("DISPLAY");
  expect((await endAs("kill -SEGV $$")).notStarted).toMatch(/SIGSEGV.*HOX_ELECTRON=off/u);
});

it("ignores an Electron that exits, fails in our code or is stopped", async () => {
  expect(await endAs("exit 0")).toEqual({ code: 0, notStarted: null });
  expect(await endAs("echo 'Hox: not everything was saved' >&2; exit 1")).toEqual({
    code: 1,
    notStarted: null,
  });
  expect(await endAs("kill -TERM $$")).toEqual({ code: 143, notStarted: null });
  const late = { code: 133, signal: "SIGTRAP" as const, ms: 60_000, output: "No usable sandbox!" };
  expect(whyNotStarted(late)).toBeNull();
});

it("passes signals on, and Electron's output", async () => {
  const program = join(folder, "saving");
  await writeFile(
    program,
    "#!/bin/sh\ntrap 'echo saved >&2; exit 7' TERM\necho begun >&2\nwhile :; do sleep 0.05; done\n",
  );
  await chmod(program, 0o755);
  const child = spawn(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `import { runElectron } from ${JSON.stringify(new URL("run-electron.mjs", import.meta.url).href)};
       const end = await runElectron(${JSON.stringify(program)}, []);
       console.log(JSON.stringify(end));`,
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => {
      output += data.toString();
      if (output === "begun\n") child.kill("SIGTERM");
    });
  await new Promise((resolve) => child.once("close", resolve));
  expect(output).toBe('begun\nsaved\n{"code":7,"notStarted":null}\n');
});
