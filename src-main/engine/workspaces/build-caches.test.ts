import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lean, scriptOf, works } from "../testing/merge-request-script.ts";
import { createFixture, over } from "../testing/run-fixture.ts";
import { done, write } from "../testing/three-agents-script.ts";

/** A tool that keeps in its caches who ran it, and prints what it finds there. */
const check = `
mkdir -p "$HOME/.cache/tool" target build
for place in "$HOME/.cache/tool" target build; do
  echo "$place: $(cat "$place/seen" 2>/dev/null | tr '\\n' ' ')"
  echo "$HOX_WORKER" >> "$place/seen"
done
echo "Signature: 8a477f597d28d172789f06886806bc55" > target/CACHEDIR.TAG
`;

describe("build caches", () => {
  it("come from the preflight of the base, and never from an agent", async () => {
    const fixture = await createFixture({
      files: {
        ".gitignore": "target\nbuild\n",
        ".hox/config.toml": `[backpressure]\nfast_checks = ["sh check.sh"]\nslow_checks = []\n${lean}`,
        "check.sh": check,
      },
      script: scriptOf({ "agent-1": works(write("src/one.txt", "one\n"), done("One.")) }),
    });
    const id = await fixture.start();
    expect(await fixture.until(over)).toMatchObject({ stage: "complete" });
    const rows = await fixture.execute("run.conversation", { run: id, worker: "agent-1" });
    const printed = rows.flatMap((row) =>
      row.kind === "checks" ? row.results.map(({ output }) => output) : [],
    );
    // In the agent's workspace, then in a fresh checkout of its commit.
    expect(printed).toHaveLength(2);
    for (const output of printed)
      expect(
        output
          .trim()
          .split("\n")
          .map((line) => line.trim().replace(/^.*\//u, "")),
      ).toEqual([
        "tool: O-A-1",
        "target: O-A-1",
        // Nothing says that it is a cache.
        "build:",
      ]);
    expect(await readdir(join(fixture.repo.folder, "state", "build-caches"))).toHaveLength(1);
  });
});
