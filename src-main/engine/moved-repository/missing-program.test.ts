import { chmod, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { toolPath } from "../../config/tools.ts";
import { requestsOf } from "../testing/read-run.ts";
import { agreeable, createFixture, type Fixture } from "../testing/run-fixture.ts";
import { calmAgents } from "../testing/three-agents-script.ts";

let fixture: Fixture | null = null;
const program = join(tmpdir(), `hox-vanishing-jj-${process.pid}`);
afterEach(async () => {
  // Whatever failed, the tests after it have their jj.
  vi.unstubAllEnvs();
  await fixture?.remove();
  fixture = null;
  await rm(program, { force: true });
});

test("a run asks on one card when jj disappears, and its agents continue when it is back", async () => {
  const jj = toolPath("jj");
  const install = async (): Promise<void> => {
    await writeFile(program, `#!/bin/sh\nexec '${jj}' "$@"\n`);
    await chmod(program, 0o755);
  };
  await install();
  vi.stubEnv("HOX_JJ", program);
  fixture = await createFixture({ script: calmAgents });
  const one = fixture;
  one.answers = { ...agreeable, trouble: () => null };
  const names = ["agent-1", "agent-2", "agent-3"];
  // All three in the middle of their work: whoever is done needs nothing more.
  const release = one.standIn.hold((seen) => names.includes(seen.role) && seen.turns >= 1);
  await one.start();
  await one.until(() => names.every((name) => requestsOf(one, name).some(({ seen }) => seen.turns >= 1)));
  await rm(program);
  release();
  const card = await one.card("trouble");
  await one.until((run) => run.workers.filter((w) => /error/u.test(w.activity)).length === 3);
  expect(one.engine.state().inbox).toEqual([card]);
  expect(card).toMatchObject({
    worker: null,
    title: "jj is missing",
    detail: `${program} no longer exists. Hox has been using it since it started.`,
    remedy: expect.stringMatching(/^Restore it and try again\. HOX_JJ is set to/u),
  });
  await install();
  await one.execute("inbox.answer", { ...card, decision: { kind: "retry" } });
  await one.until(
    (run) => run.workers.filter((w) => names.includes(w.name) && w.status === "done").length === 3,
  );
});
