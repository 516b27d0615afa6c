import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { InboxItem } from "#shared/contract/cards.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import type { Seen } from "../../../../model/stand-in/script.ts";
import { eventually } from "../../../../testing/kit.ts";
import { decision, otherRunsScript as script } from "../../../testing/other-runs-script.ts";
import { agreeable, createFixture, type Fixture } from "../../../testing/run-fixture.ts";
import { exampleFiles } from "../../../testing/three-agents-script.ts";

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

test("roots of runs side by side know each other, see what would conflict across them, write to each other, and a decision for both is the user's", async () => {
  const fixture = await createFixture({ script, files, workflow: "auto" });
  fixture.answers = { ...agreeable, mutation: () => null, land: () => null };
  const first = await fixture.start({ goal: "Write store" });
  const second = await fixture.start({ goal: "Write view" });

  // The radar shows the pair in both runs, and both roots are asked.
  await eventually(() => {
    const files = ["src/shared.txt"];
    expect(runOf(fixture, first).collisions).toMatchObject([{ a: "agent-1", b: "O-A-2/agent-2", files }]);
    expect(runOf(fixture, second).collisions).toMatchObject([{ a: "agent-2", b: "O-A-1/agent-1", files }]);
  });
  await eventually(() => {
    for (const role of ["O-A-1", "O-A-2"]) {
      const [question] = asked(fixture, role, "conflict forecast");
      const [pair, other, goal] =
        role === "O-A-1"
          ? ["agent-1 and O-A-2/agent-2", "O-A-2", "Write view"]
          : ["agent-2 and O-A-1/agent-1", "O-A-1", "Write store"];
      expect(question?.prompt).toContain(`- ${pair}: src/shared.txt`);
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

  // A change that the user labels for all runs is proposed in each.
  const { terminal } = fixture.repo;
  await terminal(["new", "main", "-m", "Ids are text\n\nHox-Kind: mutation\nHox-Msg-To: O-A-*"]);
  // As long as it is empty there is nothing to decide.
  await eventually(() => {
    const notices = fixture.events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));
    expect(notices.filter((text) => text.includes("was not proposed: it changes no files"))).toHaveLength(2);
  });
  await writeFile(join(fixture.root, "IDS.md"), "Ids are text.\n");
  await terminal(["new", "main"]);
  await eventually(() => {
    for (const id of [first, second])
      expect(cardOf(fixture, id, "mutation")).toMatchObject({ title: "Ids are text" });
    expect(cardOf(fixture, second, "mutation")).not.toHaveProperty("otherRuns");
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
