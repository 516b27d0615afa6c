import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../../../../testing/kit.ts";
import { createFixture } from "../../../testing/run-fixture.ts";
import { calmAgents, exampleFiles } from "../../../testing/three-agents-script.ts";

test("no run starts on settings with an error; the message has file, line and remedy", async () => {
  const fixture = await createFixture({
    files: { ...exampleFiles, ".hox/config.toml": "[loop_defaults]\n\nmax_iterations = 0\n" },
  });
  try {
    await expect(fixture.start()).rejects.toMatchObject({
      name: "EngineRefusal",
      message: expect.stringMatching(/^\.hox\/config\.toml, line 3: .*max_iterations/),
      remedy: expect.stringMatching(/\w+/),
    });
    // What would be paid and could not be counted is such a mistake, wherever it is written.
    const file = join(fixture.root, ".hox/config.toml");
    await writeFile(file, '[merge_requests]\nfirst_reviewer = "no-such-model"\n');
    await expect(fixture.start()).rejects.toMatchObject({
      message: expect.stringMatching(
        /^\.hox\/config\.toml, line 2: "merge_requests\.first_reviewer" .*without a known price/,
      ),
      remedy: expect.stringContaining("claude-"),
    });
    await eventually(() =>
      expect(fixture.events).toContainEqual(
        expect.objectContaining({ kind: "notice", text: expect.stringContaining("without a known price") }),
      ),
    );
    expect(fixture.engine.state()).toMatchObject({ run: null, runs: [] });
    expect(fixture.standIn.requests()).toEqual([]);
  } finally {
    await fixture.remove();
  }
}, 300_000);

test("a run builds on the current version of the chosen change, even if it is rewritten at that moment", async () => {
  let rewritten = false;
  const fixture = await createFixture({
    script: calmAgents,
    around: (repository) => ({
      ...repository,
      async newChange(options) {
        if (!rewritten) {
          rewritten = true;
          await fixture.repo.terminal([
            "describe",
            "--quiet",
            "--ignore-immutable",
            "-m",
            "told anew",
            "main",
          ]);
        }
        return repository.newChange(options);
      },
    }),
  });
  try {
    await fixture.start();
    const { base } = await fixture.until(({ workers }) => workers.some(({ name }) => name === "O-A-1"));
    expect(base).not.toBeNull();
    const [below] = await fixture.repo.repository.query(`${base}-`);
    expect(below?.description).toBe("told anew\n");
    expect(await fixture.repo.repository.query("divergent()")).toEqual([]);
    await fixture.execute("run.stop");
  } finally {
    await fixture.remove();
  }
}, 300_000);
