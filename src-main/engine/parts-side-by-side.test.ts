import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { InboxItem } from "#shared/contract/cards.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { defineScript, type Scene, type Seen } from "../model/stand-in/script.ts";
import { eventually } from "../testing/kit.ts";
import { call } from "./testing/merge-request-script.ts";
import { requestsOf } from "./testing/read-run.ts";
import { agreeable, createFixture, type Fixture, isJoined } from "./testing/run-fixture.ts";
import { acceptsMergeRequests, done, patientFiles, vote, write } from "./testing/three-agents-script.ts";
import { type Part, partPlan, rootPlan } from "./testing/two-levels-script.ts";

let fixture: Fixture;

/** The goal is one part, which the root hands on whole. */
const planOfRoot = (part: Part) => ({
  ...rootPlan,
  orchestrators: { count: 2, reason: "One part, planned by itself." },
  contracts: { ...rootPlan.contracts, files: [] },
  tasks: rootPlan.tasks.filter(({ id }) => id === part),
});

const plans = (plan: typeof planOfRoot | typeof partPlan): readonly Scene[] =>
  (["server", "client"] as const).map((part) => ({
    name: `plans the ${part}`,
    prompt: ({ prompt }) => prompt.startsWith("[EVENT plan]") && prompt.includes(`Build the ${part}`),
    steps: [call("propose_plan", { ...plan(part) })],
    optional: true,
  }));
const reads: Scene = { name: "reads", prompt: /^\[EVENT user message\]/, steps: [done("I mind it.")] };

const fileOf = (prompt: string): string =>
  /^- (src\/\S+)$/mu.exec(prompt.split("Files that are yours:")[1] ?? "")?.[1] ?? "";
const goOn = "Go on, all of you.";
/** As part of a prompt, or as a note to a conversation that a decision had cut off. */
const isToldToGoOn = ({ prompt, notes }: Seen): boolean =>
  [prompt, ...notes].some((text) => text.includes(goOn));

const script = defineScript({
  name: "parts side by side",
  routes: {
    "O-A-*": [...plans(planOfRoot), acceptsMergeRequests, reads],
    "O-B-*": [...plans(partPlan), acceptsMergeRequests, reads],
    "agent-*": [
      {
        name: "was told",
        prompt: isToldToGoOn,
        steps: [
          ({ prompt }) => call("read_file", { path: fileOf(prompt) }),
          ({ prompt }) => write(fileOf(prompt), "good\n"),
          done("Done."),
        ],
      },
      {
        name: "waits",
        steps: [({ prompt }) => write(fileOf(prompt), "BROKEN\n"), done("Not yet.")],
        optional: true,
      },
    ],
    "integrator*": [{ name: "joins", steps: [done("All is together.")], optional: true }],
    "validator-*": vote("approve"),
  },
});

const shown = (): readonly RunView[] => {
  const { run, otherRuns } = fixture.engine.state();
  return [...(run ? [run] : []), ...otherRuns.map((one) => one.run)];
};
const runOf = (id: string): RunView => {
  const found = shown().find((one) => one.id === id);
  if (!found) throw new Error(`Run ${id} is not shown.`);
  return found;
};
const named = (run: RunView, role: string) => run.workers.filter((one) => one.role === role);

test("two runs with parts have separate names at every level, and each label reaches exactly its recipients, once", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  const config = patientFiles[".hox/config.toml"];
  fixture = await createFixture({
    workflow: "auto",
    script,
    files: {
      ...patientFiles,
      ".hox/config.toml": `${config}\n[workflow]\ncontracts = "off"\nlearning = "off"\npanel = "off"\n`,
    },
  });
  fixture.settings = { ...fixture.settings, maxParallelAgents: 4 };
  const asked: InboxItem[] = [];
  fixture.answers = {
    ...agreeable,
    land: () => null,
    mutation(item) {
      asked.push(item);
      return item.kind === "mutation" && item.from === "O-B-2"
        ? { kind: "approve" }
        : { kind: "reject", reason: "Not for all." };
    },
  };
  const first = await fixture.start({ goal: "Build the server" });
  await eventually(() => expect(named(runOf(first), "orchestrator")).toHaveLength(2));
  const second = await fixture.start({ goal: "Build the client" });
  const begun = (): boolean =>
    [first, second].every((id) => {
      const agents = named(runOf(id), "agent");
      return agents.length === 2 && agents.every(({ iteration }) => iteration > 0);
    });
  await eventually(() => expect(begun()).toBe(true));
  const leads = [first, second].map((id) => named(runOf(id), "orchestrator"));
  expect(leads.map((of) => of.map(({ name, parent }) => [name, parent]))).toEqual([
    [
      ["O-A-1", null],
      ["O-B-1", "O-A-1"],
    ],
    [
      ["O-A-2", null],
      ["O-B-2", "O-A-2"],
    ],
  ]);
  const agents = [first, second].map((id) => named(runOf(id), "agent"));
  expect(new Set(agents.flat().map(({ name }) => name)).size).toBe(4);
  expect(agents.map((of) => new Set(of.map(({ parent }) => parent)))).toEqual([
    new Set(["O-B-1"]),
    new Set(["O-B-2"]),
  ]);
  const { terminal } = fixture.repo;
  const bookmarks = await terminal(["bookmark", "list", "-T", 'name ++ "\\n"']);
  for (const { name, parent } of agents.flat()) expect(bookmarks.split("\n")).toContain(`${parent}/${name}`);

  const baseOf = (id: string, name: string) =>
    runOf(id).orchestrators.find((one) => one.name === name)?.base ?? "";
  const decide = async (onto: string, path: string, ...words: readonly string[]) => {
    await terminal(["new", onto]);
    await writeFile(join(fixture.root, path), "keep: 30 days\n");
    await terminal(["describe", "-m", words.join("\n\n")]);
  };
  // The one names nobody and stands on the first run, the other one names a part of the second.
  await decide(baseOf(first, "O-A-1"), "first.txt", "Users are kept", "Hox-Kind: mutation");
  await decide(
    baseOf(second, "O-B-2"),
    "second.txt",
    "Pages are kept",
    "Hox-Kind: mutation\nHox-Orchestrator: O-B-2",
  );
  await terminal(["new", "main"]);
  await eventually(() => expect(runOf(second).decisions).toHaveLength(1));
  const of = (run: number) => agents[run]?.map(({ name }) => name) ?? [];
  const cards = asked.flatMap((item) =>
    item.kind === "mutation" ? [[item.run, item.from, item.title, ...item.binds.toSorted()]] : [],
  );
  expect(new Set(cards)).toEqual(
    new Set([
      [first, "O-A-1", "Users are kept", ...of(0)],
      [second, "O-B-2", "Pages are kept", ...of(1)],
    ]),
  );

  await terminal(["new", "main", "-m", "All who lead.\n\nHox-Msg-To: O-*"]);
  await terminal(["new", "main", "-m", `${goOn}\n\nHox-Msg-To: O-B-*/*`]);
  await terminal(["new", "main"]);
  await eventually(() => expect([first, second].every((id) => isJoined(runOf(id)))).toBe(true));
  const sent = fixture.engine.state().messages.filter(({ from }) => from === "user");
  expect(sent.map(({ to, text }) => [to, text]).toSorted()).toEqual([
    ["O-*", "All who lead."],
    ["O-*", "All who lead."],
    ["O-B-*/*", goOn],
    ["O-B-*/*", goOn],
  ]);
  for (const name of ["O-A-1", "O-A-2", "O-B-1", "O-B-2"])
    expect(
      requestsOf(fixture, name).filter(({ seen }) => seen.prompt.startsWith("[EVENT user message]")),
    ).toHaveLength(1);
  for (const [run, names] of [of(0), of(1)].entries())
    for (const name of names) {
      const requests = requestsOf(fixture, name).map(({ seen }) => seen);
      expect(requests.some(isToldToGoOn)).toBe(true);
      expect(requests.some(({ prompt }) => prompt.includes("Pages are kept"))).toBe(run === 1);
    }
  const warnings = fixture.events.flatMap((event) =>
    event.kind === "notice" && event.level !== "info" ? [event.text] : [],
  );
  expect(warnings).toEqual([]);
});
