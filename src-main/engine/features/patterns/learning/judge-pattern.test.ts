/** Seats judge a pattern before a user is asked, where `patterns.judged_by_seats` wants it. */
import { expect, test } from "vitest";
import type { ItemOf } from "#shared/contract/cards.ts";
import { noUsage } from "#shared/domain/spending/usage.ts";
import type { Scene, ScriptedStep, Seen, Step } from "../../../../model/stand-in/script.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { judgedFiles, judgedScript, seat } from "../../../testing/verdict-script.ts";

let fixture: Fixture | null = null;

const learns: Scene = {
  name: "learns",
  prompt: /^\[EVENT learn\]/u,
  steps: [
    ({ prompt }) => {
      const run = /run is ([\w-]+)/u.exec(prompt)?.[1];
      const fields = `name: say-what-is-kept\ncategory: communication\nconfidence: 0.8\nrun: ${run}\nevidence: agents >= 1`;
      const pattern = { name: "say-what-is-kept", category: "communication", confidence: 0.8 };
      const markdown = `---\n${fields}\n---\n\n# Say what is kept\n\nWhat a store keeps is said in its first line.\n`;
      return { calls: [{ tool: "propose_pattern", input: { ...pattern, markdown } }] };
    },
  ],
};

const says = (vote: string, reason: string): Step => ({
  calls: [{ tool: "judge_pattern", input: { vote, reason } }],
});
const approves = says("approve", "The figures bear it out.");
/** What each seat does, in order; a later one does as the last of them. */
const judges = (...steps: readonly (readonly ScriptedStep[])[]): Readonly<Record<string, readonly Scene[]>> =>
  Object.fromEntries(
    [1, 2, 3, 4].map((number) => [
      `pattern-judge-${number}`,
      [
        {
          name: "judges",
          prompt: (seen: Seen) => seen.prompt.startsWith("[JUDGE PATTERN]"),
          steps: steps[number - 1] ?? steps.at(-1) ?? [],
          optional: true,
        },
      ],
    ]),
  );

async function begin(
  seats: Readonly<Record<string, readonly Scene[]>>,
  { validation = [], maxTokens = null }: { validation?: readonly string[]; maxTokens?: number | null } = {},
): Promise<Fixture> {
  const script = judgedScript({ "validator-1": seat(() => "approve"), ...seats });
  const routes = { ...script.routes, "O-A-1": [...(script.routes["O-A-1"] ?? []), learns] };
  fixture = await createFixture({
    script: { ...script, routes },
    files: judgedFiles(
      ["validator_count = 4", ...validation],
      ...["[workflow]", 'panel = "off"', 'learning = "on"'],
      ...["[patterns]", "judged_by_seats = true"],
    ),
  });
  fixture.answers = { ...agreeable, pattern: () => null, land: () => null };
  await fixture.start({ maxTokens });
  return fixture;
}

/** Who was asked to judge, once for each request that asked for it. */
const asked = (one: Fixture): readonly string[] =>
  one.standIn.requests().flatMap(({ seen }) => (seen.role.startsWith("pattern-judge") ? [seen.role] : []));

async function patternCard(one: Fixture): Promise<ItemOf<"pattern">> {
  const item = await one.card("pattern");
  if (item.kind !== "pattern") throw new Error("another card");
  return item;
}
const gateOn = (item: ItemOf<"pattern">) => item.gates.find(({ name }) => name === "validator votes");
const notices = (one: Fixture): readonly string[] =>
  one.events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));
const kept = async (one: Fixture): Promise<readonly string[]> =>
  (await one.execute("pattern.list")).map(({ id, state }) => `${id} ${state}`);

test("an approved pattern is shown to the user, and not trusted before their yes", async () => {
  const one = await begin(judges([approves]));
  const card = await patternCard(one);
  expect(gateOn(card)).toEqual({
    name: "validator votes",
    passed: true,
    detail: "3 of 4 validators approved, 3 required.",
  });
  // Enough of them: the fourth would change nothing, and costs.
  expect(asked(one)).toEqual(["pattern-judge-1", "pattern-judge-2", "pattern-judge-3"]);
  const [question] = one.standIn.requests().filter(({ seen }) => seen.role === "pattern-judge-1");
  expect(question?.seen.prompt).toContain("What a store keeps is said in its first line.");
  expect(question?.seen.prompt).toContain("- agents = 1");
  expect(await kept(one)).toEqual([]);

  // Another text is judged anew, once somebody may be asked.
  const edit = (markdown: string) => one.execute("pattern.editCard", { card: card.id, markdown });
  const before = asked(one).length;
  const markdown = card.markdown.replace("first line", "last line");
  await one.execute("run.pause");
  await expect(edit(markdown)).rejects.toThrow(
    "Validators judge patterns in this repository, and the run is paused",
  );
  expect((await patternCard(one)).nonce).toBe(card.nonce);
  await one.execute("run.resume");
  await edit(markdown);
  expect(asked(one)).toHaveLength(before + 3);
  const edited = await patternCard(one);
  expect(gateOn(edited)?.passed).toBe(true);
  expect(edited.markdown).toContain("last line");

  await one.execute("inbox.answer", { ...edited, decision: { kind: "approve" } });
  await one.card("land");
  expect(await kept(one)).toEqual(["communication/say-what-is-kept approved"]);
});

test("a rejected pattern is not shown to the user, and its reasons are recorded", {
  tags: ["long"],
}, async () => {
  const one = await begin(
    judges([approves], [says("reject", "It retells one run.")], [says("abstain", "I cannot say.")]),
  );
  await one.card("land");
  expect(notices(one)).toContainEqual(
    expect.stringMatching(
      /say-what-is-kept.*validator votes: 1 of 4 validators approved, 3 required\. pattern-judge-2: It retells one run\. pattern-judge-3: I cannot say\./u,
    ),
  );
  // Two of four have not approved: no answer of the last could make three.
  expect(asked(one)).toEqual(["pattern-judge-1", "pattern-judge-2", "pattern-judge-3"]);
  expect(one.engine.state().inbox.map(({ kind }) => kind)).toEqual(["land"]);
  expect(await kept(one)).toEqual([]);
});

test("a rejected text stays on the card with the reasons, and approving it is refused", {
  tags: ["long"],
}, async () => {
  const judgeStep: ScriptedStep = ({ prompt }) =>
    prompt.includes("last line")
      ? { calls: [{ tool: "judge_pattern", input: { vote: "reject", reason: "Nobody reads that far." } }] }
      : { calls: [{ tool: "judge_pattern", input: { vote: "approve", reason: "Fine." } }] };
  const one = await begin(judges([judgeStep]));
  const card = await patternCard(one);
  const markdown = card.markdown.replace("first line", "last line");
  await one.execute("pattern.editCard", { card: card.id, markdown });
  const edited = await patternCard(one);
  expect(gateOn(edited)).toEqual({
    name: "validator votes",
    passed: false,
    detail:
      "0 of 4 validators approved, 3 required. pattern-judge-1: Nobody reads that far. pattern-judge-2: Nobody reads that far.",
  });
  await expect(one.execute("inbox.answer", { ...edited, decision: { kind: "approve" } })).rejects.toThrow(
    "Nobody reads that far.",
  );
  const no = { kind: "reject", reason: "I know that." } as const;
  await one.execute("inbox.answer", { ...edited, decision: no });
  await one.card("land");
  expect(await kept(one)).toEqual([]);
});

test("a restart during votes asks no seat twice, and the current one resumes", async () => {
  let isPaused = true;
  // Words instead of a vote, then silence: a reminder has been sent when the host ends.
  const waits: ScriptedStep = () => (isPaused ? { waitMs: 100_000, say: "…" } : says("approve", "Fine."));
  const one = await begin({
    ...judges([approves], [{ say: "It reads well." }], [approves]),
    "pattern-judge-2": [
      { name: "talks", prompt: "[JUDGE PATTERN]", steps: [{ say: "It reads well." }] },
      { name: "votes", prompt: "Answer with one call of judge_pattern.", steps: [waits] },
    ],
  });
  await one.until(() => asked(one).length === 3);
  await one.reopen(() => {
    isPaused = false;
    return Promise.resolve();
  });
  const card = await patternCard(one);
  expect(gateOn(card)).toMatchObject({ passed: true, detail: "3 of 4 validators approved, 3 required." });
  // The request that nobody answered is sent once more, and none beside it.
  expect(asked(one)).toEqual([
    "pattern-judge-1",
    ...["pattern-judge-2", "pattern-judge-2", "pattern-judge-2"],
    "pattern-judge-3",
  ]);
});

test("no seat is asked when the budget is spent, the run continues without the pattern, and says why", {
  tags: ["long"],
}, async () => {
  const costs: ScriptedStep = { ...approves, usage: { ...noUsage, input: 2_000_000 } };
  const one = await begin(judges([approves], [costs], [approves]), { maxTokens: 1_000_000 });
  const card = await one.card("land");
  expect(card.kind).toBe("land");
  expect(asked(one)).toEqual(["pattern-judge-1", "pattern-judge-2"]);
  expect(notices(one)).toContainEqual(
    expect.stringMatching(
      /say-what-is-kept.*validator votes: 2 of 4 validators approved, 3 required\. No other validator was asked: the budget of the run is spent\./u,
    ),
  );
  expect(await kept(one)).toEqual([]);
});

test("a text edited after the budget is spent is not judged, and its card says so", {
  tags: ["long"],
}, async () => {
  const costs: ScriptedStep = { ...approves, usage: { ...noUsage, input: 2_000_000 } };
  const one = await begin(judges([approves], [approves], [costs]), { maxTokens: 1_000_000 });
  const card = await patternCard(one);
  expect(gateOn(card)?.passed).toBe(true);
  const markdown = card.markdown.replace("first line", "last line");
  await one.execute("pattern.editCard", { card: card.id, markdown });
  expect(asked(one)).toHaveLength(3);
  const edited = await patternCard(one);
  expect(gateOn(edited)).toEqual({
    name: "validator votes",
    passed: false,
    detail: "0 of 4 validators approved, 3 required. No validator was asked: the budget of the run is spent.",
  });
  await expect(one.execute("inbox.answer", { ...edited, decision: { kind: "approve" } })).rejects.toThrow(
    "No validator was asked",
  );
});

test("an answer without a vote, and silence, approve nothing", { tags: ["long"] }, async () => {
  const talks: readonly ScriptedStep[] = [{ say: "I approve." }];
  const one = await begin(
    {
      ...judges([approves], talks, [{ waitMs: 100_000, say: "…" }]),
      "pattern-judge-2": [{ name: "talks", steps: talks }],
    },
    { validation: ["seat_timeout_seconds = 1"] },
  );
  await one.card("land");
  expect(notices(one)).toContainEqual(
    expect.stringMatching(
      /validator votes: 1 of 4 validators approved, 3 required\. pattern-judge-2: .*without calling the required tool.* pattern-judge-3: No vote within 1 seconds?\./u,
    ),
  );
  expect(await kept(one)).toEqual([]);
  await one.execute("inbox.answer", {
    ...(await one.card("land")),
    decision: { kind: "approve", bookmark: "main" },
  });
  expect(await one.until(over)).toMatchObject({ stage: "complete" });
});
