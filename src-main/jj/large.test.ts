import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRepository } from "./open.ts";
import type { Repository } from "./ports/repository-interface.ts";
import { generateRepository } from "./testing/generate-repository.ts";

let folder: string;
let repository: Repository;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hox-large-"));
  const config = join(folder, "config.toml");
  await writeFile(config, '[user]\nname = "Test"\nemail = "test@example.org"\n');
  process.env.JJ_CONFIG = config;
  await generateRepository(join(folder, "repo"), { changes: 10_000 });
  repository = await openRepository(join(folder, "repo"));
});
afterAll(async () => {
  await repository.close();
  await rm(folder, { recursive: true, force: true });
});

// How long these take stands in `npm run bench -- read-graph`.
describe("10,000 changes", () => {
  it("are read completely, with mutable ones told apart", async () => {
    const graph = await repository.readGraph();
    expect(graph.changes.length).toBeGreaterThanOrEqual(10_000);
    expect(graph.changes.filter((change) => !change.immutable).length).toBeGreaterThan(900);
    expect(new Set(graph.changes.map((change) => change.commitId)).size).toBe(graph.changes.length);
  });

  it("give the delta of one description in one process and two rows", async () => {
    const before = await repository.readGraph();
    const { operation } = await repository.describe("lane-3", "Told anew\n");
    const started = repository.processCount();
    const delta = await repository.readDelta(before.operation, operation);
    expect(repository.processCount() - started).toBe(1);
    expect(delta.added).toHaveLength(1);
    expect(delta.removed).toHaveLength(1);
  });
});
