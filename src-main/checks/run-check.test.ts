import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox } from "../tools/sandbox/sandbox.ts";
import { runCheck } from "./run-check.ts";

test("the names of what failed are read at the end of a long report too", async () => {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), "hox-report-")));
  try {
    const sandbox = await createSandbox({ allowUnsandboxed: true });
    const { outcome, failures, output } = await runCheck({
      run: (placed) => sandbox.run({ ...placed, workspace }),
      location: workspace,
      // As long as a suite with a line for each of its tests.
      command:
        'i=0; while [ $i -lt 3000 ]; do echo "ok $i and some words of it"; i=$((i+1)); done; printf "# fail 1\\nnot ok 7 - the old one\\n"; exit 1',
      environment: {},
      timeoutSeconds: 60,
      signal: new AbortController().signal,
    });
    expect({ outcome, failures }).toEqual({ outcome: "failed", failures: ["the old one"] });
    // What is kept to be shown stays short: 12,000 characters of its beginning, and at most twice as many of its end.
    expect(output.length).toBeLessThan(37_000);
  } finally {
    rmSync(workspace, { recursive: true });
  }
});
