import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { InboxItem } from "#shared/contract/cards.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { defineScript, type Scene, type Seen } from "../../../../model/stand-in/script.ts";
import { eventually } from "../../../../testing/kit.ts";
import { call } from "../../../testing/merge-request-script.ts";
import { agreeable, createFixture, type Fixture } from "../../../testing/run-fixture.ts";
import {
  acceptsMergeRequests,
  done,
  exampleFiles,
  plan,
  vote,
  write,
} from "../../../testing/three-agents-script.ts";

/** Short turns until the file `go` is there: a decision waits for the end of a turn. */
const waits = (file: string) => (seen: Seen) =>
  seen.results.some(({ output }) => output.includes("released"))
    ? done(`The ${file} is written.`)
    : call("run_command", { command: "sleep 0.3; if [ -e go ]; then rm go; echo released; fi" });

const plans = (file: string): Scene => ({
  name: `plans ${file}`,
  prompt: (seen) => seen.prompt.includes("[EVENT plan") && seen.prompt.includes(`Write ${file}`),
  steps: [
    call("propose_plan", {
      ...plan,
      contracts: { ...plan.contracts, files: [] },
      tasks: [{ ...plan.tasks[0], id: file, title: `Write ${file}`, files: [`src/${file}.txt`] }],
    }),
  ],
});

/** It also writes a file that nobody planned. */
const works = (file: string): readonly Scene[] => [
  {
    name: `writes ${file}`,
    prompt: `Write ${file}`,
    steps: [
      write(`src/${file}.txt`, `the ${file}\n`),
      write("src/shared.txt", `for the ${file}\n`),
      ...Array.from({ length: 300 }, () => waits(file)),
    ],
  },
];

const decision = { title: "Names are text", reason: "Both runs use them." };
const edit = { path: "NAMES.md", content: "Names are text.\n" };

/** Tells the other run, proposes a decision, and lets both continue. */
const actsOnForecast: Scene = {
  name: "acts on the forecast",
  prompt: (seen) =>
    seen.prompt.startsWith("[EVENT conflict forecast]") && !seen.prompt.includes("now applies to all"),
  steps: [
    call("inform", { to: "O-A-2", text: "The store writes src/shared.txt, too." }),
    call("propose_mutation", { ...decision, edits: [edit] }),
  ],
};

const script = defineScript({
  name: "other runs",
  routes: {
    "O-A-1": [
      actsOnForecast,
      { name: "continues", prompt: /^\[EVENT conflict forecast\]/, steps: [done("Both continue.")] },
      plans("store"),
      { ...acceptsMergeRequests, optional: true },
      { name: "reads", prompt: /^\[EVENT message\]/, steps: [done("Read.")], optional: true },
    ],
    "O-A-2": [
      plans("view"),
      { name: "continues", prompt: /^\[EVENT conflict forecast\]/, steps: [done("Both continue.")] },
      { name: "reads", prompt: /^\[EVENT message\]/, steps: [done("I mind it.")] },
      { ...acceptsMergeRequests, optional: true },
    ],
    "agent-*": [...works("store"), ...works("view")],
    "integrator*": [{ name: "joins", steps: [done("All is together.")], optional: true }],
    "validator-*": vote("approve"),
  },
});

const files = {
  ...exampleFiles,
  ".hox/config.toml": `${exampleFiles[".hox/config.toml"]}\n[workflow]\nlearning = "off"\npanel = "off"\n`,
};

const runs = (fixture: Fixture): readonly RunView[] => {
  const { run, otherRuns } = fixture.engine.state();
  return [...(run ? [run] : []), ...otherRuns.map((one) => one.run)];
};
const runOf = (fixture: Fixture, id: string): RunView => {
  const found = runs(fixture).find((one) => one.id === id);
  if (!found) throw new Error(`Run ${id} is not shown.`);
  return found;
};
const cardOf = (fixture: Fixture, run: string, kind: InboxItem["kind"]): InboxItem | undefined =>
  fixture.engine.state().inbox.find((item) => item.run === run && item.kind === kind);
const asked = (fixture: Fixture, role: string, event: string): readonly Seen[] =>
  fixture.standIn
    .requests()
    .map(({ seen }) => seen)
    .filter((seen) => seen.role === role && seen.turn === 0 && seen.prompt.startsWith(`[EVENT ${event}]`));

test("roots of runs side by side know each other, see what would conflict across them, write to each other, and a decision for both is the user's", {
  timeout: 180_000,
}, async () => {
  const fixture = await createFixture({ script, files, workflow: "auto" });
  fixture.answers = { ...agreeable, mutation: () => null, land: () => null };
  const first = await fixture.start({ goal: "Write store" });
  const second = await fixture.start({ goal: "Write view" });

  // The radar shows the pair in both runs, and both roots are asked.
  await eventually(() => {
    for (const id of [first, second])
      expect(runOf(fixture, id).collisions).toMatchObject([
        { a: "agent-1", b: "agent-2", files: ["src/shared.txt"] },
      ]);
  });
  await eventually(() => {
    for (const role of ["O-A-1", "O-A-2"]) {
      const [question] = asked(fixture, role, "conflict forecast");
      expect(question?.prompt).toContain("- agent-1 and agent-2: src/shared.txt");
      const [other, goal] = role === "O-A-1" ? ["O-A-2", "Write view"] : ["O-A-1", "Write store"];
      expect(question?.prompt).toContain(`It belongs to another run, of ${other}: "${goal}".`);
    }
  });

  // What one root writes reaches the other as a message of its run.
  await eventually(() => {
    const [message] = asked(fixture, "O-A-2", "message");
    expect(message?.prompt).toContain("O-A-1 leads another run in this repository: Write store");
    expect(message?.prompt).toContain("The store writes src/shared.txt, too.");
    expect(message?.prompt).toContain('O-A-1 leads another run at the same time: "Write store".');
  });

  // The user puts the decision of one run to the other as well, after a restart too.
  await eventually(() => expect(cardOf(fixture, first, "mutation")).toBeDefined());
  expect(cardOf(fixture, first, "mutation")).toMatchObject({
    title: decision.title,
    otherRuns: [{ root: "O-A-2", goal: "Write view" }],
  });
  await fixture.reopen();
  await eventually(() => expect(cardOf(fixture, first, "mutation")).toBeDefined());
  const card = cardOf(fixture, first, "mutation");
  if (!card) throw new Error("There is no card.");
  await fixture.execute("inbox.answer", { ...card, decision: { kind: "approve", also: ["O-A-2"] } });
  await eventually(() => expect(cardOf(fixture, second, "mutation")).toBeDefined());
  const further = cardOf(fixture, second, "mutation");
  expect(further).toMatchObject({ from: "O-A-2", ...decision, binds: ["agent-2"] });
  expect(further).not.toHaveProperty("otherRuns");
  if (!further) throw new Error("There is no card.");
  await fixture.execute("inbox.answer", { ...further, decision: { kind: "approve" } });
  await eventually(() => {
    for (const id of [first, second])
      expect(runOf(fixture, id).decisions).toMatchObject([{ title: decision.title }]);
  });

  for (const { workspace } of runs(fixture).flatMap(({ workers }) =>
    workers.filter((one) => one.role === "agent"),
  ))
    await writeFile(join(workspace ?? "", "go"), "");
  await eventually(() => {
    for (const id of [first, second]) expect(cardOf(fixture, id, "land")).toBeDefined();
  });
  expect(fixture.standIn.unmatched()).toEqual([]);
});
