import { expect, test } from "vitest";
import { createFixture } from "../testing/run-fixture.ts";
import { exampleFiles } from "../testing/three-agents-script.ts";

test("no run starts on settings with a mistake; it says in which file and line, and what to do", async () => {
  const fixture = await createFixture({
    files: { ...exampleFiles, ".hox/config.toml": "[loop_defaults]\n\nmax_iterations = 0\n" },
  });
  try {
    await expect(fixture.start()).rejects.toMatchObject({
      name: "EngineRefusal",
      message: expect.stringMatching(/^\.hox\/config\.toml, line 3: .*max_iterations/),
      remedy: expect.stringMatching(/\w+/),
    });
    expect(fixture.engine.state()).toMatchObject({ run: null, runs: [] });
    expect(fixture.standIn.requests()).toEqual([]);
  } finally {
    await fixture.remove();
  }
}, 300_000);
