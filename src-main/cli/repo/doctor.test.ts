import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createHostState } from "../../host.ts";
import { eventually, tempDir } from "../../testing/kit.ts";
import { exitCode } from "../command-line.ts";
import { hoxInProcess } from "../testing/in-process.ts";

it("lets an agent use a login while a host is open, which takes it over and keeps it", async () => {
  const folder = tempDir();
  const stateFolder = join(folder, "state");
  const doctor = (...args: readonly string[]) =>
    hoxInProcess(["doctor", ...args], { folder, env: { HOX_STATE: stateFolder } });
  const kept = async () => JSON.parse(await readFile(join(stateFolder, "settings.json"), "utf8"));
  const host = await createHostState({ shell: "browser", version: "1.2.3", stateFolder });
  try {
    expect((await doctor("--use-login", "claude")).code).toBe(exitCode.done);
    await eventually(() => expect(host.app().settings.subscriptions).toEqual(["claude"]));

    expect((await doctor("--use-login", "codex")).code).toBe(exitCode.done);
    // At once, before the host has looked at the file again.
    await host.changeSettings({ theme: "dark" });
    expect(await kept()).toMatchObject({ theme: "dark", subscriptions: ["claude", "codex"] });

    expect((await doctor("--keep-login", "claude")).code).toBe(exitCode.done);
    await eventually(() =>
      expect(host.app().settings).toMatchObject({ theme: "dark", subscriptions: ["codex"] }),
    );
  } finally {
    await host.close();
  }
});
