import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { defaultWindow } from "#shared/contract/settings.ts";
import { eventually } from "../testing/kit.ts";
import { openAppSettings } from "./app-settings.ts";

const folders: string[] = [];
const folder = async (): Promise<string> => {
  const made = await mkdtemp(join(tmpdir(), "hox-settings-"));
  folders.push(made);
  return made;
};
afterEach(async () => {
  for (const each of folders.splice(0)) await rm(each, { recursive: true });
});

test("the window's layout is restored at the next start after concurrent changes", async () => {
  const state = await folder();
  const settings = await openAppSettings(state);
  await Promise.all([
    settings.change({ window: { view: "canvas" } }),
    settings.change({ window: { panes: { queue: 300 } } }),
    settings.change({ theme: "dark" }),
    settings.change({ window: { fontSize: 15 } }),
  ]);
  const again = (await openAppSettings(state)).current();
  expect(again.theme).toBe("dark");
  expect(again.window).toEqual({ ...defaultWindow, view: "canvas", panes: { queue: 300 }, fontSize: 15 });
});

test("an unreadable part does not affect the others", async () => {
  const state = await folder();
  const window = { ...defaultWindow, view: "canvas", fontSize: 400, density: "tiny", showQueue: false };
  await writeFile(join(state, "settings.json"), JSON.stringify({ theme: "dark", window }));
  const { theme, window: read } = (await openAppSettings(state)).current();
  expect(theme).toBe("dark");
  expect(read).toEqual({ ...defaultWindow, view: "canvas", showQueue: false });
  for (const webhook of ["file:///etc/passwd", "https://me:secret@hooks.test/", 7])
    await writeFile(join(state, "settings.json"), JSON.stringify({ theme: "light", webhook })).then(
      async () =>
        expect((await openAppSettings(state)).current()).toMatchObject({ theme: "light", webhook: "" }),
    );
  const webhook = "http://127.0.0.1:8080/hook?token=t";
  await writeFile(join(state, "settings.json"), JSON.stringify({ webhook }));
  expect((await openAppSettings(state)).current().webhook).toBe(webhook);
  await writeFile(join(state, "settings.json"), JSON.stringify({ theme: "light" }));
  expect((await openAppSettings(state)).current().window).toEqual(defaultWindow);
});

test("changes by several processes at the same time are all kept", async () => {
  const state = await folder();
  const [one, other] = await Promise.all([openAppSettings(state), openAppSettings(state)]);
  const widths = Array.from({ length: 10 }, (_, at) => 200 + at);
  await Promise.all(
    widths.flatMap((width) => [
      one.change({ maxParallelAgents: width - 199 }),
      other.change(({ subscriptions }) => ({ subscriptions: [...subscriptions, `agent-${width}`] })),
    ]),
  );
  const now = (await openAppSettings(state)).current();
  expect(now.maxParallelAgents).toBe(10);
  expect(now.subscriptions).toEqual(widths.map((width) => `agent-${width}`));
});

test("settings follow the file, and stay as they are while it cannot be read", async () => {
  const state = await folder();
  const settings = await openAppSettings(state);
  const seen: unknown[] = [];
  const stop = settings.follow((before) =>
    seen.push([before.theme, settings.current().theme, settings.warning()]),
  );
  try {
    await (await openAppSettings(state)).change({ theme: "dark" });
    await eventually(() => expect(seen).toEqual([["system", "dark", null]]));
    await writeFile(join(state, "settings.json"), "{");
    await eventually(() =>
      expect(seen[1]).toEqual([
        "dark",
        "dark",
        expect.stringMatching(/settings\.json is not valid JSON; the settings from before apply/u),
      ]),
    );
    // Its own change is no news, and replaces what could not be read.
    await settings.change({ maxParallelAgents: 2 });
    await (await openAppSettings(state)).change({ theme: "light" });
    await eventually(() => expect(seen[2]).toEqual(["dark", "light", null]));
    expect(settings.current()).toMatchObject({ theme: "light", maxParallelAgents: 2 });
  } finally {
    stop();
  }
});
