import { expect, test } from "vitest";
import { createSandbox } from "../../tools/sandbox/sandbox.ts";
import { createFixture, type Fixture } from "../testing/run-fixture.ts";

let fixture: Fixture | null = null;

test("without a sandbox, the user is asked before any command runs", async () => {
  let allowed = false;
  fixture = await createFixture({
    sandbox: () => createSandbox({ allowUnsandboxed: allowed, program: null }),
    allowUnsandboxed: async () => {
      allowed = true;
    },
  });
  const one = fixture;
  await one.start();
  const card = await one.card("sandbox");
  expect(one.engine.state().run?.workers.some((w) => w.checks.length > 0)).toBe(false);
  await one.execute("inbox.answer", { ...card, decision: { kind: "approve" } });
  await one.until((run) => run.workers.some((w) => w.checks.some(({ outcome }) => outcome === "passed")));
}, 300_000);
