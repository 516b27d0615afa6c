import { describe, expect, it } from "vitest";
import type { Script } from "../../model/stand-in/script.ts";
import type { StandInRequest } from "../../model/stand-in/stand-in.ts";
import { call } from "../testing/merge-request-script.ts";
import { createFixture, type Fixture } from "../testing/run-fixture.ts";
import { done, exampleFiles, plan, write } from "../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

const task = (id: string, more: object = {}) => ({
  id,
  title: `Write the ${id}`,
  description: `Write src/${id}.txt.`,
  phase: 1,
  priority: "medium",
  files: [`src/${id}.txt`],
  after: [],
  ...more,
});

const waits = {
  name: "waits",
  steps: [call("align_request", { question: "Go on?", options: [], blocking: true })],
};

/** One agent that begins fresh, one that inherits and takes two iterations, and a part that inherits. */
const script: Script = {
  name: "inherits",
  routes: {
    "O-A-1": [
      {
        name: "asks the user",
        prompt: /^\[EVENT align-request\]/,
        steps: [call("ask_user", { question: "Go on?", options: [] })],
      },
      {
        name: "agent-2 inherits",
        prompt: "From here on you are agent-2",
        steps: [
          call("propose_plan", { ...plan }),
          call("run_command", { command: "cat src/contract.txt" }),
          write("src/inherits.txt", "first\n"),
          // More answers than its orchestrator ever gives: its last request is told by their number.
          ...[".", "src", "src/part", ".hox"].map((path) => call("list_files", { path })),
          { say: "A part is done." },
        ],
      },
      {
        name: "the part plans",
        prompt: /^\[EVENT plan\]\n\n\[FORK\]/,
        steps: [
          call("spawn_workers", { tasks: [], reason: "none" }),
          call("propose_plan", {
            ...plan,
            contracts: { title: "", description: "", files: [] },
            tasks: [task("part", { files: ["src/part/one.txt"] })],
          }),
        ],
      },
      {
        name: "plan",
        prompt: /^\[EVENT plan\]/,
        steps: [
          call("list_files", { path: "." }),
          call("propose_plan", {
            ...plan,
            orchestrators: { count: 2, reason: "A part." },
            tasks: [
              task("fresh"),
              task("inherits", { context: "inherit" }),
              task("part", { files: ["src/part/"], delegate: true, context: "inherit" }),
            ],
          }),
        ],
      },
      {
        name: "contracts",
        prompt: /^\[EVENT contracts\]/,
        steps: [
          call("run_command", { command: "echo mine" }),
          write("src/contract.txt", "id: userId\n"),
          done("The contract stands."),
        ],
      },
    ],
    "O-B-1": [
      { name: "contracts", prompt: /^\[EVENT contracts\]/, steps: [done("None.")] },
      {
        name: "escalates",
        prompt: /^\[EVENT align-request\]/,
        steps: [call("escalate", { question: "Go on?", options: [] })],
      },
    ],
    "agent-1": [waits],
    "agent-2": [waits],
    "agent-3": [waits],
  },
};

interface Sent {
  readonly system: readonly object[];
  readonly tools: readonly { readonly name: string }[];
  readonly messages: readonly { readonly role: string; readonly content: readonly object[] }[];
}
const wire = ({ body }: StandInRequest) => body as Sent;
/** How far the provider remembers is no part of what it remembers. */
const bytes = (value: unknown): string =>
  JSON.stringify(value, (key, one) => (key === "cache_control" ? undefined : one));

describe("a task's context", () => {
  it("sends the orchestrator's conversation first, byte for byte and marked, only to a worker that inherits it", {
    tags: ["long"],
    timeout: 180_000,
  }, async () => {
    fixture = await createFixture({
      script,
      faults: [{ kind: "stall", role: "O-A-1", turns: 9 }],
      files: {
        ...exampleFiles,
        ".hox/config.toml": `${exampleFiles[".hox/config.toml"]}\n[workflow]\ncontracts = "on"\n[models]\norchestrator = "claude-opus-5-5"\n`,
      },
    });
    const one = fixture;
    one.answers = { plan: () => ({ kind: "approve" }) };
    await one.start();
    const of = (role: string, words: string) =>
      one.standIn.requests().filter(({ seen }) => seen.role === role && seen.prompt.includes(words));
    // What it inherits outlasts a restart in the middle of its first iteration, in which its last request is held up.
    const before = 8;
    await one.until(() => of("O-A-1", "From here on you are agent-2").length === before, 120_000);
    await one.reopen();
    await one.until(
      () =>
        of("agent-1", "[TASK]").length > 0 &&
        of("agent-2", "[TASK]").length > 0 &&
        of("agent-3", "[TASK]").length > 0,
      120_000,
    );
    const [contracts, denied] = of("O-A-1", "[EVENT contracts]").map(wire);
    const planned = of("O-A-1", "[EVENT plan]")
      .filter(({ seen }) => !seen.prompt.includes("[FORK]"))
      .map(wire);
    const [inherited, refused] = of("O-A-1", "From here on you are agent-2").map(wire);
    const [part] = of("O-A-1", "From here on you are O-B-1").map(wire);
    if (!contracts || !denied || !inherited || !refused || !part) throw new Error("Somebody was not asked.");

    // The plan's last message takes in the words that come next, so what it held before is compared there.
    const shared = contracts.messages.length - 1;
    const known = contracts.messages[shared]?.content.slice(0, -1);
    expect(shared).toBeGreaterThanOrEqual((planned.at(-1)?.messages.length ?? 0) + 1);
    const after = of("O-A-1", "From here on you are agent-2").slice(before).map(wire);
    expect(after.length).toBeGreaterThan(0);
    for (const request of [refused, ...after])
      expect(bytes(request.messages.slice(0, inherited.messages.length))).toBe(bytes(inherited.messages));
    for (const child of [inherited, part]) {
      expect(bytes(child.system)).toBe(bytes(contracts.system));
      expect(bytes(child.tools)).toBe(bytes(contracts.tools));
      expect(bytes(child.messages.slice(0, shared))).toBe(bytes(contracts.messages.slice(0, shared)));
      expect(bytes(child.messages[shared]?.content.slice(0, -1))).toBe(bytes(known));
      expect(child.messages).toHaveLength(shared + 1);
      const marked = child.messages.flatMap(({ content }, at) =>
        content.some((block) => "cache_control" in block) ? [at] : [],
      );
      expect(marked).toEqual([shared - 2, shared]);
      expect(child.system.at(0)).toHaveProperty("cache_control");
    }

    // Each is told of the other's tools and refused them by name.
    expect(contracts.tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["run_command", "todo", "note"]),
    );
    expect(bytes(denied.messages.at(-1))).toContain("run_command does not answer [EVENT contracts].");
    expect(bytes(refused.messages.at(-1))).toContain(
      "propose_plan is for O-A-1, not for you. Use one of: read_file,",
    );

    // Only the first iteration inherits; who begins fresh knows its own words alone, and so does everybody by default.
    for (const name of ["agent-1", "agent-2", "agent-3"]) {
      const [first] = of(name, "[TASK]").map(wire);
      expect(first?.messages).toHaveLength(1);
      expect(bytes(first?.system)).toContain(`Hox-Role: ${name}`);
      expect(first?.tools.map(({ name: tool }) => tool)).not.toContain("propose_plan");
    }
    const run = one.engine.state().run;
    expect(
      Object.fromEntries(run?.workers.map(({ name, inherits }) => [name, inherits?.from ?? null]) ?? []),
    ).toMatchObject({
      "agent-1": null,
      "agent-2": "O-A-1",
      "O-B-1": "O-A-1",
      "agent-3": null,
    });
    const [agent] = of("O-A-1", "From here on you are agent-2");
    expect(agent?.seen.model).toBe("claude-opus-5-5");
    expect(of("agent-2", "[TASK]")[0]?.seen.model).not.toBe("claude-opus-5-5");
    for (const name of ["agent-2", "O-B-1"])
      expect(run?.workers.find((worker) => worker.name === name)?.inherits?.cachedShare).toBeGreaterThan(0.5);
    expect(one.standIn.unmatched()).toEqual([]);
  });
});
