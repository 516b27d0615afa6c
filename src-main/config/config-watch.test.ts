import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { eventually, tempDir } from "../testing/kit.ts";
import { configPath } from "./config.ts";
import { type ConfigMistake, type WatchedConfig, watchConfig } from "./config-watch.ts";
import { defaultConfig, defaultSettings } from "./settings.ts";
import { trustSettings } from "./trusted-settings.ts";

let root: string;
let watched: WatchedConfig | null = null;
const changed = vi.fn();
const warned = vi.fn();
const untrusted = vi.fn();
const mistakes: ConfigMistake[] = [];
beforeEach(() => {
  root = tempDir();
  changed.mockClear();
  warned.mockClear();
  untrusted.mockClear();
  mistakes.length = 0;
});
afterEach(() => {
  watched?.close();
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
  await eventually(() => expect(current.config.loopDefaults.maxIterations).toBe(5));

  write('[loop_defaults]\nmax_iterations = 6\n\n[gates]\nplan = "yes"\n');
  await eventually(() => expect(mistakes).toHaveLength(1));
  expect(mistakes[0]).toMatchObject({
    problems: [{ line: 5, key: "gates.plan", remedy: expect.any(String) }],
  });
  // Nothing of a file with a mistake counts, also not what is right in it.
  expect(current.config.loopDefaults.maxIterations).toBe(5);

  expect(warned).not.toHaveBeenCalled();
  write("[loop_defaults]\nmax_iterations = 7\n\n[validation]\nconsensus_threshold = 1.0\n");
  await eventually(() => expect(warned).toHaveBeenCalled());
  expect(warned.mock.calls).toMatchObject([
    [[{ level: "warning", line: 5, key: "validation.consensus_threshold" }]],
  ]);
  await eventually(() => expect(current.config.loopDefaults.maxIterations).toBe(7));
  rmSync(dirname(configPath(root)), { recursive: true });
  await eventually(() => expect(current.config).toEqual(defaultConfig));
  write("[loop_defaults]\nmax_iterations = 9\n");
  await eventually(() => expect(current.config.loopDefaults.maxIterations).toBe(9));
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
  await eventually(() => expect(current.config.loopDefaults.maxIterations).toBe(5));
  expect(current.config.gates.land).toBe("ask");
  await trustSettings(stateFolder, ['gates.land = "auto"'], "trust");
  await eventually(() => expect(current.config.gates.land).toBe("auto"));
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
