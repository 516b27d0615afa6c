import { cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import type { ValidationView } from "#shared/domain/validation/panel.ts";
import type { ConversationOptions } from "../agent/agent-interface.ts";
import { modelConversations } from "../agent/conversation.ts";
import { localCheckout } from "../engine/workspaces/local-checkout.ts";
import { createAnthropicDriver } from "../model/anthropic-driver.ts";
import { loadPriceTable, modelFacts } from "../model/price-table.ts";
import { createRateLimit } from "../model/rate-limit.ts";
import { defineScript, type Scene, type Script, type Seen, type Step } from "../model/stand-in/script.ts";
import { type StandIn, startStandIn } from "../model/stand-in/stand-in.ts";
import { tempDir } from "../testing/kit.ts";
import { createSandbox } from "../tools/sandbox/sandbox.ts";
import { dedicatedPanel } from "./testing/scripted-seats.ts";
import { explainVerdict, validate } from "./validate.ts";
import type { CastVote, ValidationOptions } from "./validation-interface.ts";

const commit = "0123456789abcdef0123456789abcdef01234567";
const passed: CheckResult = {
  name: "tests",
  command: "true",
  speed: "slow",
  outcome: "passed",
  ms: 1,
  output: "",
};

const noCredit = {
  status: 400,
  body: {
    type: "error",
    error: { type: "invalid_request_error", message: "Your credit balance is too low to access the API." },
  },
};

const vote = (vote: string, more: Record<string, unknown> = {}): Step => ({
  calls: [{ tool: "cast_vote", input: { vote, commit, reason: `${vote} after a look`, ...more } }],
});
const judge = (...steps: Scene["steps"]): readonly Scene[] => [
  { name: "judge", prompt: "[VALIDATE]", steps },
  { name: "reminded", prompt: "You have not voted", steps: [{ say: "I have no opinion." }], optional: true },
];
const script = (routes: Script["routes"]): Script => defineScript({ name: "votes", routes });

let folder: string;
let standIn: StandIn | undefined;
beforeEach(async () => {
  folder = tempDir();
  await mkdir(join(folder, "commit"));
  await writeFile(join(folder, "commit", "answer.txt"), "forty-two\n");
});
afterEach(async () => {
  await standIn?.close();
});

async function optionsFor(
  routes: Script["routes"],
  { gate = () => null, ...more }: Partial<ValidationOptions> & { gate?: ConversationOptions["gate"] } = {},
): Promise<ValidationOptions> {
  standIn = await startStandIn({ script: script(routes) });
  const driver = createAnthropicDriver({
    apiKey: standIn.apiKey,
    baseUrl: standIn.url,
    scheduler: createRateLimit(),
    models: modelFacts(loadPriceTable()),
    backoffMs: 5,
    attempts: 2,
  });
  const sandbox = await createSandbox({ allowUnsandboxed: true });
  const conversations = modelConversations({ driver, price: () => 1 });
  const host = { config: { protectedFiles: [] }, repository: { root: folder }, sandbox: async () => sandbox };
  let made = 0;
  return {
    commit,
    run: "run-1",
    attempt: 1,
    panel: dedicatedPanel(4),
    threshold: null,
    commandTimeoutSeconds: 120,
    evidence: {
      goal: "Answer",
      plan: null,
      diff: "diff --git a/answer.txt b/answer.txt\n+forty-two",
      decisions: [],
      abandoned: [],
      summaries: {},
    },
    async converse(seat, _key, { system, tools, checkout }) {
      const files = checkout.files({ protectedFiles: [] });
      const { signal } = new AbortController();
      return {
        isResumed: false,
        conversation: conversations.start({
          model: "claude-sonnet-5-5",
          system,
          tools,
          toolContext: { agent: seat, signal, files, run: checkout.run, environment: {} },
          requester: seat,
          maxTokens: 8_000,
          maxTurns: 30,
          gate,
          onEntry: () => {},
          onSpent: () => {},
        }),
      };
    },
    async checkout() {
      const copy = join(folder, `checkout-${made++}`);
      await cp(join(folder, "commit"), copy, { recursive: true });
      return { ...localCheckout(host, copy), remove: () => rm(copy, { recursive: true }) };
    },
    runChecks: async () => [passed],
    tell: () => {},
    onVote: () => {},
    signal: new AbortController().signal,
    now: () => 1,
    ...more,
  };
}

describe("validation (HOX-7)", () => {
  it("four blind seats have separate evidence; one may be faulty", async () => {
    const views: ValidationView[] = [];
    const look = [
      { calls: [{ tool: "read_file", input: { path: "answer.txt" } }] },
      (seen: Seen): Step => vote("approve", { reason: seen.results[0]?.output ?? "" }),
    ];
    const options = await optionsFor(
      {
        "validator-1": judge(...look),
        "validator-2": judge(...look),
        "validator-3": judge(
          vote("reject", { lines: [{ path: "answer.txt", line: 9, text: "Which?" }] }),
          vote("reject", { lines: [{ path: "answer.txt", line: 1, text: "Which question?" }] }),
        ),
        "validator-4": judge(...look),
      },
      { onVote: (view) => views.push(view) },
    );
    const { view, votes } = await validate(options);
    expect(view).toMatchObject({
      verdict: "approved",
      quorum: 3,
      tolerated: 1,
      commitId: commit,
      checks: [passed],
    });
    expect(view.seats.map((seat) => [seat.evidence, seat.vote])).toEqual([
      ["specification", "approve"],
      ["diff", "approve"],
      ["tests", "reject"],
      ["attacker", "approve"],
    ]);
    expect(view.seats[0]?.reason).toContain("forty-two");
    // One by one: 0, 1, 2, 3, 4 votes.
    expect(views.map((one) => one.seats.filter((seat) => seat.vote !== "pending").length)).toEqual([
      0, 1, 2, 3, 4,
    ]);
    expect(votes).toHaveLength(4);
    const prompts = standIn?.requests().map(({ seen }) => seen) ?? [];
    expect(prompts.filter((seen) => seen.opening.includes("forty-two")).map((seen) => seen.role)).toContain(
      "validator-2",
    );
    expect(
      prompts
        .filter((seen) => seen.role === "validator-1")
        .some((seen) => seen.opening.includes("forty-two")),
    ).toBe(false);
    expect(prompts.every((seen) => !seen.tools.includes("write_file"))).toBe(true);
    expect(await readdir(folder)).toEqual(["commit"]);
    // A line that is not there was refused, and what was said of one that is stands there and in the reason.
    expect(view.seats[2]?.lines).toEqual([
      { path: "answer.txt", line: 1, lastLine: 1, commit, lineText: "forty-two", text: "Which question?" },
    ]);
    expect(explainVerdict(view)).toBe(
      "validator-3, who looked at the tests, rejected: reject after a look\n\n- answer.txt:1: Which question?",
    );
  });

  it("keeps votes over a restart, and only those on the same commit, attempt and evidence", async () => {
    const routes = { "validator-*": judge(vote("approve")) };
    let kept: readonly CastVote[] = [];
    const stop = new AbortController();
    const slow = judge({ calls: [{ tool: "run_command", input: { command: "sleep 20" } }] });
    const half = await optionsFor(
      { ...routes, "validator-3": slow, "validator-4": slow },
      {
        signal: stop.signal,
        onVote(_view, votes) {
          kept = votes;
          if (votes.length === 2) stop.abort();
        },
      },
    );
    const stopped = await validate(half);
    expect(stopped).toMatchObject({ stopped: "aborted", view: { verdict: "open" } });
    expect(kept.map((one) => one.seat).toSorted()).toEqual(["validator-1", "validator-2"]);
    await standIn?.close();

    const again = await optionsFor(routes, { earlier: { votes: kept, checks: [passed] } });
    expect((await validate(again)).view.verdict).toBe("approved");
    expect(standIn?.requests()).toHaveLength(2);
    await standIn?.close();

    for (const other of [
      { attempt: 2 },
      { commit: commit.replace("0", "f") },
      { evidence: { ...again.evidence, goal: "Other" } },
    ]) {
      const options = await optionsFor(routes, { ...other, earlier: { votes: kept, checks: [passed] } });
      const { votes } = await validate(options);
      expect(standIn?.requests()).toHaveLength(4 * ("commit" in other ? 3 : 1));
      expect(votes).toHaveLength(4 * ("commit" in other ? 3 : 1));
      await standIn?.close();
    }
  });

  it("a failed check vetoes before any judge is paid", async () => {
    const options = await optionsFor(
      { "validator-*": judge(vote("approve")) },
      { runChecks: async () => [{ ...passed, outcome: "timed-out" }] },
    );
    expect((await validate(options)).view.verdict).toBe("vetoed");
    expect(standIn?.requests()).toHaveLength(0);
  });

  it("a void vote, silence, an error and an abstention are no approvals; seats are replaced twice, then the user decides", async () => {
    const options = await optionsFor({
      "validator-1": judge(vote("approve", { commit: "fedcba9876543210" })),
      "validator-2": judge({ say: "It looks fine." }),
      "validator-3": judge({ stop: "refusal" }),
      "validator-4": judge(vote("abstain")),
    });
    const { view, votes } = await validate(options);
    expect(view.verdict).toBe("undecided");
    expect(view.seats.map((seat) => seat.vote)).toEqual(["void", "error", "error", "abstain"]);
    expect(votes).toHaveLength(12);
    expect(Math.max(...votes.map((one) => one.replacement))).toBe(2);
  });

  it("a provider's refusal of every seat is no vote: the user fixes it, and earlier votes count", async () => {
    const routes = { "validator-*": judge(vote("approve")) };
    let kept: readonly CastVote[] = [];
    const options = await optionsFor(routes, { onVote: (_view, votes) => (kept = votes) });
    for (const role of ["validator-2", "validator-4"])
      standIn?.fail({ kind: "refused", role, answer: noCredit });
    await expect(validate(options)).rejects.toMatchObject({
      kind: "credit",
      remedy: expect.stringContaining("Add credit"),
    });
    expect(kept.map(({ seat, vote }) => [seat, vote]).toSorted()).toEqual([
      ["validator-1", "approve"],
      ["validator-3", "approve"],
    ]);
    const { view, votes } = await validate({ ...options, earlier: { votes: kept, checks: [passed] } });
    expect(view.verdict).toBe("approved");
    expect(votes.map(({ replacement }) => replacement)).toEqual([0, 0, 0, 0]);
    await standIn?.close();

    // Where the others decide, nobody has to mend anything.
    const one = await optionsFor(routes);
    standIn?.fail({ kind: "refused", role: "validator-2", answer: noCredit });
    expect((await validate(one)).view).toMatchObject({
      verdict: "approved",
      seats: [{}, { vote: "error", reason: expect.stringContaining("no credit") }, {}, {}],
    });
  });

  it("a seat that times out has not approved", async () => {
    const options = await optionsFor(
      {
        "validator-1": judge({ calls: [{ tool: "run_command", input: { command: "sleep 20" } }] }),
        "validator-*": judge(vote("approve")),
      },
      { seatTimeoutMs: 1_500 },
    );
    const { view } = await validate(options);
    expect(view.seats[0]?.vote).toBe("timed-out");
    expect(view.verdict).toBe("approved");
  });

  it("ends a seat's command at the configured limit, and the seat votes", async () => {
    const options = await optionsFor(
      {
        "validator-1": judge(
          { calls: [{ tool: "run_command", input: { command: "sleep 60" } }] },
          vote("approve"),
        ),
        "validator-*": judge(vote("approve")),
      },
      { commandTimeoutSeconds: 1, seatTimeoutMs: 30_000 },
    );
    const { view } = await validate(options);
    expect(view.seats[0]?.vote).toBe("approve");
  });

  it("stops at the gate with the votes so far, without an approval", async () => {
    const options = await optionsFor({ "validator-*": judge(vote("approve")) }, { gate: () => "budget" });
    expect(await validate(options)).toMatchObject({
      stopped: "budget",
      votes: [],
      view: { verdict: "open" },
    });
  });
});
