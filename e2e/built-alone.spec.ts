import { execFile } from "node:child_process";
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { toolPath } from "../src-main/config/tools.ts";
import { builtFolder } from "./host.ts";
import { expect, test } from "./test.ts";

const run = promisify(execFile);

test("the build runs without any node_modules, as in a packaged app", async ({ playground }) => {
  const folder = join(playground.folder, "alone");
  await cp(join(builtFolder, "main"), join(folder, "out", "main"), { recursive: true });
  const resources = fileURLToPath(new URL("../resources", import.meta.url));
  await cp(resources, join(folder, "resources"), { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ version: "1.2.3", type: "module" }));
  const root = await playground.repository("project", ["first"]);
  const hox = (...args: readonly string[]) =>
    run(toolPath("node"), [join(folder, "out", "main", "cli.js"), ...args], {
      cwd: root,
      env: playground.environment,
    });

  // Up to the plan that waits for a user: the journal, jj, the sandbox and the model's library, over HTTP.
  const waiting = await hox("run", "--rehearsal", "profiles").catch(
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  expect(waiting).toMatchObject({ code: 3, stdout: expect.stringContaining("plan") });
  expect(`${waiting.stdout}${waiting.stderr}`).not.toContain("Could not read the imports of the repository");
  expect((await hox("log", "-r", "all()")).stdout).toContain("first");
  expect((await hox("--version")).stdout.trim()).toBe("1.2.3");
});
