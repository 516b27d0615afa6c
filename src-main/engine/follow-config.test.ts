import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Config } from "../config/config-interface.ts";
import { openJournal } from "../journal/journal.ts";
import { eventually } from "../testing/kit.ts";
import { createFixture, type Fixture, over } from "./testing/run-fixture.ts";
import { threeAgents, write } from "./testing/three-agents-script.ts";

let fixture: Fixture | null = null;

const checks = '[backpressure]\nfast_checks = ["sh check.sh"]\nslow_checks = []\n';

/** The first agent, in one conversation: works until it is told to go on, and writes where it has come to be forbidden. */
const works = threeAgents.routes["agent-1"]?.find((scene) => scene.name === "works");
const waits = "until [ -e go ]; do sleep 0.1; done; rm go";
const script = {
  ...threeAgents,
  routes: {
    ...threeAgents.routes,
    "agent-1": (threeAgents.routes["agent-1"] ?? []).map((scene) =>
      scene === works
        ? {
            ...scene,
            steps: [
              { calls: [{ tool: "run_command", input: { command: waits } }] },
              write("src/locked.txt", "mine\n"),
              ...scene.steps,
            ],
          }
        : scene,
    ),
  },
};

it("a run follows its file: a change applies at once, an error is reported and changes nothing, also after a restart", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture({ script });
  const { plan: approve, mutation: _never, ...others } = fixture.answers;
  fixture.answers = others;
  const notices = () => fixture?.events.filter((event) => event.kind === "notice") ?? [];
  await fixture.start();
  await fixture.card("plan");

  // From now on nobody is asked about decisions; a mistake after that must not bring the question back.
  await fixture.configure(`${checks}[gates]\nmutations = "auto"\nauto_mutation_max_conflicts = 1\n`);
  // Nothing on screen says that it was read; the journal keeps what is in force.
  const journal = openJournal(join(fixture.repo.folder, "state", "journal.sqlite"), () => 0);
  const [started] = journal.runs();
  const inForce = () => journal.config<Config>(started?.id ?? "");
  await eventually(() => expect(inForce()?.gates.mutations).toBe("auto"));
  await fixture.configure(
    `${checks}[gates]\nmutations = "ask"\nauto_mutation_max_conflicts = 0\nplan = "sometimes"\n`,
  );
  await eventually(() => expect(notices()).toHaveLength(1));
  expect(notices()[0]).toMatchObject({
    level: "warning",
    text: expect.stringMatching(/^\.hox\/config\.toml, line 7: "gates\.plan"/u),
    remedy: expect.stringContaining("last valid settings apply"),
  });

  fixture.answers = { ...others, ...(approve ? { plan: approve } : {}) };
  await fixture.reopen();
  // Also what is found before anybody listens reaches who listens then.
  await eventually(() => expect(notices()).toHaveLength(2));

  // In the middle of an agent's conversation: its tools and its checks follow from its next request on.
  const busy = await fixture.until((run) => run.workers.some(({ activity }) => activity.includes(waits)));
  await fixture.configure(
    `protected_files = ["src/locked.txt"]\n${checks.replace('"sh check.sh"', '"sh check.sh", "test -e readme.md"')}[gates]\nmutations = "auto"\nauto_mutation_max_conflicts = 1\nland = "auto"\n`,
  );
  await eventually(() => expect(inForce()?.protectedFiles).toContain("src/locked.txt"));
  journal.close();
  const workspace = busy.workers.find(({ name }) => name === "agent-1")?.workspace ?? "";
  await writeFile(join(workspace, "go"), "");

  // It would land by itself, were there nothing to decide: somebody moved the bookmark to other work meanwhile.
  fixture.answers = { ...fixture.answers, land: () => ({ kind: "reject", reason: "" }) };
  const aside = (args: readonly string[]) => fixture?.repo.terminal(args, { cwd: fixture.root });
  await aside(["new", "--no-edit", "-m", "Other work", "main"]);
  await aside(["bookmark", "set", "main", "-r", 'description(substring:"Other work")']);
  const run = await fixture.until(over);
  expect(run).toMatchObject({ stage: "complete", landed: null });
  // What was left may still be looked into.
  expect(run.workers.find(({ name }) => name === "agent-1")?.workspace).toBe(workspace);
  const conversation = await fixture.execute("run.conversation", { run: run.id, worker: "agent-1" });
  expect(conversation.find((row) => row.kind === "tool-result" && row.tool === "write_file")).toMatchObject({
    error: "protected-file",
    output: expect.stringContaining("src/locked.txt"),
  });
  expect(conversation.find((row) => row.kind === "checks")).toMatchObject({
    results: [{ command: "sh check.sh" }, { command: "test -e readme.md" }],
  });
  const asked = fixture.events.some(
    (event) => event.kind === "inbox" && event.items.some((item) => item.kind === "mutation"),
  );
  expect(asked).toBe(false);
});
