import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { runningProcesses, waitForOrphans } from "./orphan-processes.ts";

const folder = `/hox-left-behind-${process.pid}`;

/** A process that is called as a writing jj is. */
function writing(of: string, script: string) {
  const child = spawn(process.execPath, ["-e", script, "--", "--config", "hox.write=w0", "-R", of], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const output = new Promise((resolve) => child.stdout.once("data", resolve));
  const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once("exit", (_, by) => resolve(by)));
  return { child, output, ended };
}

// Windows ends a host's children with it.
test.skipIf(process.platform === "win32")(
  "waits for this repository's jj processes of a killed host, and ends one that hangs",
  async () => {
    const short = writing(`${folder}-short`, "console.log(1); setTimeout(() => {}, 700)");
    const hanging = writing(`${folder}/workspaces/agent-1`, "console.log(1); setInterval(() => {}, 1000)");
    const elsewhere = writing(`${folder}-2`, "console.log(1); setInterval(() => {}, 1000)");
    try {
      await Promise.all([short.output, hanging.output, elsewhere.output]);
      // As long as a busy machine may take.
      await waitForOrphans([`${folder}-short`], { patienceMs: 120_000 });
      expect(await short.ended).toBeNull();
      await waitForOrphans([folder]);
      expect(await hanging.ended).toBe("SIGTERM");
      const running = (await runningProcesses()).map(({ id }) => id);
      expect(running).toContain(elsewhere.child.pid);
      expect(running).not.toContain(hanging.child.pid);
    } finally {
      for (const { child } of [short, hanging, elsewhere]) child.kill("SIGKILL");
    }
  },
);
