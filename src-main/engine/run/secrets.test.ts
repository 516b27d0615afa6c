import { expect, it } from "vitest";
import { secretsOf } from "../../tools/redact.ts";
import { createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { calmAgents, done, exampleFiles } from "../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

const secret = "key-that-stands-in-the-keychain-only";
const call = (tool: string, input: Record<string, unknown>) => ({ tool, input });

it("a key from the keychain reaches no model and no stored conversation", async () => {
  expect(secretsOf(process.env)).not.toContain(secret);
  fixture = await createFixture({
    secrets: [secret],
    files: { ...exampleFiles, "left-behind.txt": `${secret}\n` },
    script: {
      ...calmAgents,
      routes: {
        ...calmAgents.routes,
        "agent-1": [
          {
            name: "copies it",
            steps: [
              {
                calls: [
                  call("run_command", { command: "cp left-behind.txt src/store.txt; cat src/store.txt" }),
                ],
              },
              done("The store keeps users."),
            ],
          },
        ],
        "validator-*": [
          {
            name: "reads it",
            prompt: "[VALIDATE]",
            steps: [
              {
                calls: [
                  call("read_file", { path: "left-behind.txt" }),
                  call("run_command", { command: "cat src/store.txt" }),
                ],
              },
              (seen) => ({
                calls: [
                  call("cast_vote", {
                    vote: "approve",
                    commit: /Commit: ([0-9a-f]+)/.exec(seen.prompt)?.[1] ?? "",
                    reason: `Found ${seen.results.map(({ output }) => output).join(" ")}`,
                  }),
                ],
              }),
            ],
          },
        ],
      },
    },
  });
  await fixture.start();
  const run = await fixture.until(over);
  expect(run.stage, JSON.stringify(run.failure)).toBe("complete");
  const requests = fixture.standIn.requests();
  const holding = requests.filter(({ body }) => JSON.stringify(body).includes(secret));
  expect([...new Set(holding.map(({ seen }) => seen.role))], "models that were told").toEqual([]);
  // They did come upon it.
  for (const role of ["agent-1", "O-A-1", "validator-1", "validator-2"])
    expect(
      requests.some(({ seen, body }) => seen.role === role && JSON.stringify(body).includes("[redacted]")),
      role,
    ).toBe(true);
  expect(JSON.stringify(run)).not.toContain(secret);
  const rows = fixture.events.filter((event) => event.kind === "conversation");
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain(secret);
});
