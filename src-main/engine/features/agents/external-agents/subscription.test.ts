import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { execa } from "execa";
import { expect, test, vi } from "vitest";
import { providerBehindProxy } from "../../../../external-agents/testing/provider-behind-proxy.ts";
import { tempDir } from "../../../../testing/kit.ts";
import { createSandbox } from "../../../../tools/sandbox/sandbox.ts";
import {
  externalAgentFiles,
  externalAgentScript,
  project,
  reportsStore,
  type Step,
} from "../../../testing/external-agent-script.ts";
import { createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";

const program = join(project, "src-main/external-agents/testing/scripted-agent.mjs");
const canary = "canary-token-0123456789abcdef";
const models = { agent: "claude/claude-sonnet-5-5" };
const provider: Step = { provider: "api.anthropic.com" };
const writes: Step = { write: "src/store.txt", text: "the store\n" };

/** The user's own programs and login, as they are on a machine with Claude Code. */
function logIn(steps: readonly (readonly Step[])[]): { readonly login: string } {
  const folder = tempDir();
  const login = join(folder, "own-claude", ".credentials.json");
  mkdirSync(join(folder, "own-claude"));
  writeFileSync(login, JSON.stringify({ claudeAiOauth: { accessToken: canary, expiresAt: 1 } }), {
    mode: 0o600,
  });
  const script = JSON.stringify(steps).replaceAll("'", "'\\''");
  const start = `exec '${process.execPath}' '${program}'`;
  for (const [name, text] of [
    ["claude-agent-acp", `SCRIPT='${script}' ${start}`],
    ["claude", "exit 1"],
  ] as const)
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  vi.stubEnv("PATH", `${folder}${delimiter}${process.env.PATH}`);
  vi.stubEnv("CLAUDE_CONFIG_DIR", join(folder, "own-claude"));
  return { login };
}

async function open(
  steps: readonly (readonly Step[])[],
  {
    more = "",
    isOn = true,
    monotonic,
  }: Partial<{ more: string; isOn: boolean; monotonic: () => number }> = {},
): Promise<Fixture & { readonly login: string }> {
  const { login } = logIn(steps);
  const fixture = await createFixture({
    script: externalAgentScript,
    files: externalAgentFiles([], more),
    workflow: "auto",
    ...(monotonic ? { monotonic } : {}),
    sandbox: () => createSandbox({ allowUnsandboxed: false, readable: [project] }),
  });
  if (isOn) fixture.settings = { ...fixture.settings, subscriptions: ["claude"] };
  return Object.assign(fixture, { login });
}

/** Where a text is, with what is around it. */
const around = (whole: string, text: string): readonly string[] =>
  [...whole.matchAll(RegExp(`.{0,300}${text}.{0,60}`, "gu"))].map(([found]) => found);

/** What an agent noted in its HOME. */
const notes = async ({ repo }: Fixture, text: string): Promise<string> =>
  (await execa("grep", ["-a", "-r", "-h", text, join(repo.folder, "state")], { reject: false })).stdout;

test("an agent uses the user's login at its provider, without a meter, and no other host answers", async () => {
  const { asked, targets } = await providerBehindProxy();
  const prints = "cat $CLAUDE_CONFIG_DIR/.credentials.json; echo x >> $CLAUDE_CONFIG_DIR/.credentials.json";
  const fixture = await open([
    [
      provider,
      { provider: "platform.claude.com" },
      { run: prints },
      { say: `It is ${canary.slice(0, 9)}` },
      { say: canary.slice(9) },
      { call: { title: canary, rawInput: { canary } } },
      writes,
      reportsStore,
    ],
  ]);
  const before = readFileSync(fixture.login, "utf8");
  await fixture.start({ models });
  const run = await fixture.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(asked).toEqual([{ host: "api.anthropic.com", authorization: `Bearer ${canary}` }]);
  expect(targets).toEqual(["api.anthropic.com:443"]);
  const agent = run.workers.find(({ name }) => name === "agent-1");
  expect(agent).toMatchObject({
    spent: { microDollars: 0, requests: 0 },
    unmetered: { turns: 1, maxTurns: 20, maxMs: 3_600_000 },
    agent: { capabilities: { usage: "none" } },
  });
  expect(fixture.standIn.requests().filter(({ seen }) => seen.role === "agent-1")).toEqual([]);
  // It can only read the file, and nobody sees it in what it says.
  expect(readFileSync(fixture.login, "utf8")).toBe(before);
  expect(around(JSON.stringify([fixture.events, fixture.stream]), canary)).toEqual([]);
  await fixture.engine.close();
  expect(await notes(fixture, canary)).toBe("");
  const noted = await notes(fixture, "^provider ");
  expect(noted).toContain("platform.claude.com is not an allowed host.");
  expect(noted).not.toContain("The user can add");
});

test("a login that is renewed while an agent works is hidden, too", async () => {
  const renewed = "renewed-token-0123456789abcdef";
  const { asked } = await providerBehindProxy();
  const waits = "until grep -q renewed $CLAUDE_CONFIG_DIR/.credentials.json; do sleep 0.1; done";
  const prints = "echo searched; cat $CLAUDE_CONFIG_DIR/.credentials.json";
  const fixture = await open([
    [
      provider,
      { run: `${waits}; ${prints}` },
      { say: renewed.slice(0, 9) },
      { say: renewed.slice(9) },
      writes,
      reportsStore,
    ],
  ]);
  await fixture.start({ models });
  await fixture.until(() => asked.length === 1);
  writeFileSync(fixture.login, JSON.stringify({ claudeAiOauth: { accessToken: renewed } }));
  expect(await fixture.until(over)).toMatchObject({ stage: "complete", failure: null });
  const told = JSON.stringify([fixture.events, fixture.stream]);
  expect(told).toContain("searched");
  expect(around(told, renewed)).toEqual([]);
});

test("without the user's word an agent gets no login", async () => {
  const { targets } = await providerBehindProxy();
  const fixture = await open(
    [
      [
        { run: "env; ls -a ~ ~/.claude /run/hox-agent /run/hox-agent/*; echo searched" },
        writes,
        reportsStore,
      ],
    ],
    { isOn: false },
  );
  await fixture.start({ models });
  expect(await fixture.until(over)).toMatchObject({ stage: "complete", failure: null });
  const told = JSON.stringify([fixture.events, fixture.stream]);
  expect(told).toContain("searched");
  expect(told).not.toContain(".credentials.json");
  expect(told).not.toContain("HTTPS_PROXY");
  expect(targets).toEqual([]);
});

test("its last turn is its last, until the user allows it the same again", async () => {
  await providerBehindProxy();
  const fixture = await open([[{ say: "Not yet." }], [writes, reportsStore]], {
    more: "[budget]\nsubscription_turns = 1\n",
  });
  fixture.answers = { ...fixture.answers, trouble: () => null };
  await fixture.start({ models });
  const card = await fixture.card("trouble");
  expect(card).toMatchObject({
    title: "agent-1 has reached the limit of your subscription",
    detail: expect.stringContaining("Claude Code has used your login for 1 turn and 1 minute"),
    remedy: expect.stringContaining("Retry to allow it 1 turn and 60 minutes more"),
  });
  // The card waits also in another host.
  await fixture.reopen();
  const again = await fixture.card("trouble");
  await fixture.execute("inbox.answer", { ...again, decision: { kind: "retry" } });
  expect(await fixture.until(over)).toMatchObject({ stage: "complete", failure: null });
});

test("the end of its time stops an agent that waits for its provider and does not hear a cancel", {
  tags: ["long"],
}, async () => {
  let skipped = 0;
  const { asked, waiting } = await providerBehindProxy(() => {
    // As if it had worked for so long: what is left of its minute is the time of its second turn.
    skipped = 50_000;
    return asked.length === 1;
  });
  const fixture = await open(
    [
      [provider, { say: "Not yet." }],
      [{ deafToCancel: true }, provider, { hang: true }],
      [writes, reportsStore],
    ],
    { more: "[budget]\nsubscription_minutes = 1\n", monotonic: () => performance.now() + skipped },
  );
  fixture.answers = { ...fixture.answers, trouble: () => null };
  await fixture.start({ models });
  await fixture.until(() => waiting() === 1);
  const card = await fixture.card("trouble");
  expect(card).toMatchObject({ detail: expect.stringContaining("for 2 turns and") });
  expect(waiting()).toBe(0);
  await fixture.execute("inbox.answer", { ...card, decision: { kind: "retry" } });
  expect(await fixture.until(over)).toMatchObject({ stage: "complete", failure: null });
});
