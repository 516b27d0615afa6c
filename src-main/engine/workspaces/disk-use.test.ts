import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { StageEvent } from "#shared/domain/run/stage-state.ts";
import { tempDir } from "../../testing/kit.ts";
import type { EngineEvent } from "../engine-interface.ts";
import type { Run } from "../ports.ts";
import { createDiskUse } from "./disk-use.ts";

let folder: string;
beforeEach(() => {
  folder = tempDir();
});

/** Two workspaces with real files, and of a run only what counting them asks of it. */
function twoWorkspaces(caps: { readonly maxGbPerAgent: number | null; readonly maxGb: number | null }) {
  const workers = new Map(
    ["agent-1", "agent-2"].map((name) => {
      mkdirSync(join(folder, name, ".jj"), { recursive: true });
      return [name, { record: { name, folder: join(folder, name) } }];
    }),
  );
  const events: StageEvent[] = [];
  const notices: string[] = [];
  const run = {
    workers,
    worker: (name: string) => workers.get(name),
    repository: { workspace: (name: string, at: string) => ({ name, folder: at }) },
    config: { workspace: caps },
    state: { pause: "none", current: { stage: "executing" } },
    monotonic: () => 0,
    changed() {},
    dispatch: (event: StageEvent) => events.push(event),
    emit: (event: EngineEvent) => event.kind === "notice" && notices.push(event.text),
  } as unknown as Run;
  const use = createDiskUse(() => run);
  return {
    use,
    events,
    notices,
    async fill(name: string, bytes: number) {
      writeFileSync(join(folder, name, "files"), Buffer.alloc(bytes, "x"));
      await use.recount(name);
    },
  };
}

test("a workspace near its cap is reported once, and one over it resumes when there is room again", async () => {
  const { use, notices, events, fill } = twoWorkspaces({ maxGbPerAgent: 0.01, maxGb: null });
  await fill("agent-1", 1e6);
  expect([use.check("agent-1"), notices]).toEqual([null, []]);
  await fill("agent-1", 8.5e6);
  await fill("agent-1", 8.6e6);
  expect(use.check("agent-1")).toBeNull();
  expect(notices).toEqual([expect.stringMatching(/^The workspace of agent-1 uses 8\.\d MB of the 10 MB/u)]);
  await fill("agent-1", 11e6);
  expect(use.check("agent-1")).toMatchObject({
    message: expect.stringContaining("max_gb_per_agent allows 10 MB"),
  });
  expect(use.check("agent-2")).toBeNull();
  await fill("agent-1", 1e6);
  expect(use.check("agent-1")).toBeNull();
  expect(events).toEqual([]);
  use.close();
});

test("the total disk use pauses the run, and no agent is paused for others", async () => {
  const { use, notices, events, fill } = twoWorkspaces({ maxGbPerAgent: null, maxGb: 0.01 });
  await fill("agent-1", 6e6);
  expect(events).toEqual([]);
  await fill("agent-2", 6e6);
  expect(events).toEqual([{ kind: "Pause" }]);
  expect(notices).toEqual([expect.stringContaining("that workspace.max_gb allows")]);
  expect([use.check("agent-1"), use.check("agent-2")]).toEqual([null, null]);
  use.close();
});
