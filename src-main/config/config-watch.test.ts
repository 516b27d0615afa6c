import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { configPath } from "./config.ts";
import { defaultConfig } from "./config-of.ts";
import { type ConfigMistake, type WatchedConfig, watchConfig } from "./config-watch.ts";
import { defaultSettings } from "./settings.ts";
import { trustSettings } from "./trusted-settings.ts";

let root: string;
let watched: WatchedConfig | null = null;
const changed = vi.fn();
const warned = vi.fn();
const untrusted = vi.fn();
const mistakes: ConfigMistake[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "hox-config-watch-"));
  changed.mockClear();
  warned.mockClear();
  untrusted.mockClear();
  mistakes.length = 0;
});
afterEach(() => {
  watched?.close();
  rmSync(root, { recursive: true, force: true });
});
const write = (text: string): void => {
  mkdirSync(dirname(configPath(root)), { recursive: true });
  // As editors do: a new file takes the old one's place.
  writeFileSync(`${configPath(root)}.new`, text);
  renameSync(`${configPath(root)}.new`, configPath(root));
};
const start = async (lastGood = defaultConfig): Promise<WatchedConfig> => {
  watched = await watchConfig(
    { root, stateFolder: join(root, "state"), settings: () => defaultSettings },
    lastGood,
    {
      changed,
      warned,
      untrusted,
      mistaken: (mistake) => mistakes.push(mistake),
    },
  );
  return watched;
};

it("follows a file that appears, changes, breaks, is fixed and is deleted (PLAN-8)", async () => {
  const current = await start();
  expect([current.config, changed.mock.calls]).toEqual([defaultConfig, []]);

  write("[loop_defaults]\nmax_iterations = 5\n");
  await vi.waitFor(() => expect(current.config.loopDefaults.maxIterations).toBe(5), 60_000);

  write('[loop_defaults]\nmax_iterations = 6\n\n[gates]\nplan = "yes"\n');
  await vi.waitFor(() => expect(mistakes).toHaveLength(1), 60_000);
  expect(mistakes[0]).toMatchObject({
    problems: [{ line: 5, key: "gates.plan", remedy: expect.any(String) }],
  });
  // Nothing of a file with a mistake counts, also not what is right in it.
  expect(current.config.loopDefaults.maxIterations).toBe(5);

  expect(warned).not.toHaveBeenCalled();
  write("[loop_defaults]\nmax_iterations = 7\n\n[validation]\nconsensus_threshold = 1.0\n");
  await vi.waitFor(() => expect(warned).toHaveBeenCalled(), 60_000);
  expect(warned.mock.calls).toMatchObject([
    [[{ level: "warning", line: 5, key: "validation.consensus_threshold" }]],
  ]);
  await vi.waitFor(() => expect(current.config.loopDefaults.maxIterations).toBe(7), 60_000);
  rmSync(dirname(configPath(root)), { recursive: true });
  await vi.waitFor(() => expect(current.config).toEqual(defaultConfig), 60_000);
  write("[loop_defaults]\nmax_iterations = 9\n");
  await vi.waitFor(() => expect(current.config.loopDefaults.maxIterations).toBe(9), 60_000);
  expect(mistakes).toHaveLength(1);
  expect(changed).toHaveBeenCalledTimes(4);
});

it("reports untrusted settings once, and uses them as soon as the user trusts them", async () => {
  const stateFolder = join(root, "state");
  mkdirSync(stateFolder);
  write('[gates]\nland = "auto"\n');
  const current = await start();
  expect(untrusted.mock.calls).toMatchObject([[[{ text: 'gates.land = "auto"' }]]]);
  write('[gates]\nland = "auto"\n[loop_defaults]\nmax_iterations = 5\n');
  await vi.waitFor(() => expect(current.config.loopDefaults.maxIterations).toBe(5), 60_000);
  expect(current.config.gates.land).toBe("ask");
  await trustSettings(stateFolder, ['gates.land = "auto"'], "trust");
  await vi.waitFor(() => expect(current.config.gates.land).toBe("auto"), 60_000);
  expect(untrusted).toHaveBeenCalledTimes(1);
});

it("keeps the earlier settings when the file is broken from the start, and reports nothing after it is closed", async () => {
  write("[budget\n");
  const before = { ...defaultConfig, gates: { ...defaultConfig.gates, land: "auto" as const } };
  const current = await start(before);
  expect(current.config).toBe(before);
  expect(mistakes).toMatchObject([{ kind: "problems", problems: [{ line: 1 }] }]);
  current.close();
  write("[loop_defaults]\nmax_iterations = 9\n");
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(changed).not.toHaveBeenCalled();
});

it("reports an unreadable file", async () => {
  mkdirSync(configPath(root), { recursive: true });
  await start();
  expect(mistakes).toMatchObject([
    { kind: "unreadable", error: { message: expect.stringContaining(configPath(root)) } },
  ]);
});
