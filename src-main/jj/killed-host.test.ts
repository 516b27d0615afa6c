import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { expect, test, vi } from "vitest";
import { createTestRepository } from "./testing/create-test-repository.ts";

test("jj receives its whole input, even if the host is killed right after starting it", async () => {
  const repo = await createTestRepository();
  try {
    const text = `all of it\n\n${"line\n".repeat(100)}`;
    const host = `
      const { createJj } = await import(${JSON.stringify(fileURLToPath(new URL("process/process.ts", import.meta.url)))});
      const cwd = ${JSON.stringify(repo.repository.root)};
      void createJj().run({ args: ["-R", cwd, "describe", "--stdin", "-r", "@"], cwd, input: ${JSON.stringify(text)} });
      process.kill(process.pid, "SIGKILL");
    `;
    const before = await repo.terminal(["op", "log", "--no-graph", "-T", 'id ++ "\\n"', "--limit", "1"]);
    await execa(process.execPath, ["--input-type=module", "-e", host], { reject: false });
    await vi.waitUntil(
      async () =>
        (await repo.terminal(["op", "log", "--no-graph", "-T", 'id ++ "\\n"', "--limit", "1"])) !== before,
      { timeout: 60_000 },
    );
    expect(await repo.terminal(["log", "--no-graph", "-r", "@", "-T", "description"])).toBe(text.trim());
  } finally {
    await repo.remove();
  }
});
