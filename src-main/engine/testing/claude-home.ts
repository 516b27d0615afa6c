/** A home of a user's own Claude Code, empty for each test. */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, vi } from "vitest";

/** Stands for every test of the file that calls it. @returns the folder of the test that is on */
export function emptyClaudeHome(): () => string {
  let home = "";
  beforeEach(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), "hox-claude-")));
    vi.stubEnv("CLAUDE_CONFIG_DIR", home);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(home, { recursive: true, force: true });
  });
  return () => home;
}
