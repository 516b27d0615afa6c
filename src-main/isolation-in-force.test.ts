import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { trustRepositoryConfig } from "./config/write-settings.ts";
import { createHostState } from "./host.ts";
import { createTestRepository } from "./jj/testing/create-test-repository.ts";
import { eventually } from "./testing/kit.ts";

test("the sandbox description matches the open repository, also after a setting changes", async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "hox-isolation-")));
  const repo = await createTestRepository();
  const host = await createHostState({ shell: "browser", version: "1", stateFolder: join(folder, "state") });
  const messages: string[] = [];
  void (async () => {
    for await (const { event } of host.log.read(null))
      if (event.kind === "app" && messages.at(-1) !== event.app.isolation.summary)
        messages.push(event.app.isolation.summary);
  })();
  const lastly = (words: RegExp) => eventually(() => expect(host.app().isolation.summary).toMatch(words));
  try {
    await lastly(/no network|none, commands are refused/u);
    // Nothing can be said of hosts where nothing holds a command.
    if (host.app().isolation.kind !== "bubblewrap") return;
    const state = join(folder, "state");
    await repo.write(".hox/config.toml", '[sandbox]\nhosts = ["one.example.org", "two.example.org"]\n');
    await trustRepositoryConfig(state, repo.repository.root);
    await host.open(repo.repository.root);
    await lastly(/2 of all hosts/u);
    const before = messages.length;
    await host.changeSettings({ allowUnsandboxed: true });
    await lastly(/2 of all hosts/u);
    await repo.write(".hox/config.toml", '[sandbox]\nhosts = ["one.example.org"]\n');
    await lastly(/1 of all hosts/u);
    await eventually(() =>
      expect(messages.slice(before)).toEqual([expect.stringMatching(/1 of all hosts/u)]),
    );
    await host.closeRepository();
    await lastly(/no network/u);
  } finally {
    await host.close();
    await repo.remove();
    await rm(folder, { recursive: true, force: true });
  }
});
