import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createRehearsalStarts } from "./api/host-commands.ts";
import type { HostState } from "./api/host-state.ts";
import { createHostState } from "./host.ts";
import { tempDir } from "./testing/kit.ts";

let folder: string;
let state: HostState;

beforeEach(async () => {
  folder = tempDir();
  state = await createHostState({ shell: "browser", version: "1", stateFolder: folder, rehearsalPace: 0 });
});
afterEach(async () => {
  await state.close();
});

const namesIn = (name: string): readonly string[] =>
  existsSync(join(folder, name)) ? readdirSync(join(folder, name)) : [];

function expectNothingLeft(): void {
  expect(namesIn("rehearsals")).toEqual([]);
  expect(namesIn("repositories")).toEqual([]);
  expect(state.app().recent).toEqual([]);
}

test("a rehearsal is cancelled while its example is written, and another one starts instead", async () => {
  const starts = createRehearsalStarts(state);
  const started = starts.start("profiles");
  await vi.waitFor(() => expect(namesIn("rehearsals/profiles-1")).toContain("src"), {
    interval: 5,
    timeout: 60_000,
  });
  starts.cancel("tides");
  starts.cancel("profiles");
  expect(await started).toBeNull();
  expectNothingLeft();

  expect(await starts.start("profiles")).toBe(join(folder, "rehearsals", "profiles-1"));
  expect(state.engine().state().run?.rehearsal).toBe("profiles");
  // Its run has begun: it is stopped as every other, and not taken away.
  starts.cancel("profiles");
  expect(namesIn("rehearsals")).toEqual(["profiles-1"]);
});

test("a rehearsal is cancelled while its example is opened: it is closed and removed", async () => {
  const starts: ReturnType<typeof createRehearsalStarts> = createRehearsalStarts({
    ...state,
    async open(path) {
      starts.cancel("profiles");
      return state.open(path);
    },
  });
  expect(await starts.start("profiles")).toBeNull();
  expectNothingLeft();
  expect(() => state.engine()).toThrow();
});
