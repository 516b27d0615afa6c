import { expect, test } from "vitest";
import { createSandbox } from "../../../../tools/sandbox/sandbox.ts";
import { createFixture } from "../../../testing/run-fixture.ts";
import { calmAgents } from "../../../testing/three-agents-script.ts";

test("an orchestrator plans while the preflight runs checks, and asks its model nothing while the user decides about them", async () => {
  const asked = Promise.withResolvers<void>();
  const one = await createFixture({
    files: {
      "readme.md": "# Example\n",
      "check.sh": "exit 1\n",
      ".hox/config.toml": '[backpressure]\nfast_checks = ["sh check.sh"]\nslow_checks = []\n',
    },
    script: calmAgents,
    async sandbox() {
      const real = await createSandbox({ allowUnsandboxed: false });
      return {
        ...real,
        async run(command) {
          if (command.command === "sh check.sh") await asked.promise;
          return real.run(command);
        },
      };
    },
  });
  const { preflight: _, plan: __, ...others } = one.answers;
  one.answers = others;
  const release = one.standIn.hold(({ prompt, turn }) => {
    asked.resolve();
    return prompt.startsWith("[EVENT plan]") && turn === 0;
  });

  await one.start();
  const card = await one.card("preflight");
  const prompts = () => one.standIn.requests().map(({ seen }) => seen.prompt);
  expect(prompts()).toEqual([
    expect.stringContaining("The project's checks run on the base while you plan."),
  ]);
  release();
  const hasListed = (): boolean =>
    one.events.some(
      (event) => event.kind === "conversation" && event.rows.some(({ kind }) => kind === "tool-result"),
    );
  await one.until(({ workers }) => hasListed() && workers[0]?.activity === "waiting for you: preflight");
  expect(prompts()).toHaveLength(1);

  await one.execute("inbox.answer", { ...card, decision: { kind: "approve" } });
  expect(await one.card("plan")).toMatchObject({ plan: { goal: "Keep users" } });
  const last = one.standIn.requests().at(-1);
  expect(prompts()).toHaveLength(2);
  expect(JSON.stringify(last?.body)).toContain("`sh check.sh` is red already (failed)");
});
