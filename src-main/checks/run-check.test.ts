import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox } from "../tools/sandbox/sandbox.ts";
import { checkName, runCheck } from "./run-check.ts";

test("failure names are read at the end of a long report too", async () => {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), "hox-report-")));
  try {
    const sandbox = await createSandbox({ allowUnsandboxed: true });
    const { outcome, failures, output } = await runCheck({
      run: (placed) => sandbox.run({ ...placed, workspace }),
      location: () => workspace,
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

test.each([
  ["npm run --silent lint", "lint"],
  ["cd web && npm run --silent test", "web: test"],
  ["python3 -m pytest -q", "pytest"],
  ["{ test -d node_modules || npm ci; } && npm run test", "test"],
  ["{ test -f a.txt; } && { go test ./...; } && true", "go test"],
  ["(cd build && ctest --output-on-failure)", "ctest"],
  ["if [ -f go.mod ]; then go vet ./...; fi", "go vet"],
  ["CI=1 NODE_OPTIONS='--a && b' node --test | tee report", "node"],
  ["test -f done", "test done"],
  ["{", "{"],
])("names the check of %s", (command, name) => {
  expect(checkName(command)).toBe(name);
});
