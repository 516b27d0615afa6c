import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { defineScript, type ScriptedStep } from "../../../../model/stand-in/script.ts";
import { createFixture, type Fixture } from "../../../testing/run-fixture.ts";
import { done, vote, write } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | undefined;
afterEach(async () => {
  await fixture?.remove();
  fixture = undefined;
});

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const look = (name: string): ScriptedStep => ({ calls: [{ tool: "read_attachment", input: { name } }] });

const script = defineScript({
  name: "attached",
  routes: {
    "agent-1": [
      {
        name: "works",
        steps: [
          look("wishes.md"),
          look("sketch.png"),
          look("nothing"),
          write("src/a.txt", "a\n"),
          done("Done."),
        ],
      },
    ],
    "validator-*": vote("approve"),
  },
});

test("start choices apply to the run and are offered again: models by role, effort, files; with templates and path completion", async () => {
  fixture = await createFixture({ workflow: "auto", script });
  fixture.answers = {};
  const { execute } = fixture.engine;
  expect(await execute("start.choices")).toMatchObject({
    isQuick: false,
    models: { orchestrator: "claude-sonnet-5-5", validator: "claude-sonnet-5-5" },
    last: null,
  });
  expect(await execute("start.checkModel", { model: "claude-haiku-5-5" })).toMatchObject({ outcome: "ok" });
  expect(await execute("start.files", { typed: "check", most: 5 })).toEqual(["check.sh"]);

  await execute("start.saveTemplate", { name: "Fix", text: "Fix {{what}}" });
  expect(await execute("start.templates")).toEqual([{ name: "Fix", text: "Fix {{what}}" }]);
  expect(await readFile(join(fixture.root, ".hox/templates/Fix.md"), "utf8")).toBe("Fix {{what}}\n");
  await execute("start.removeTemplate", { name: "Fix" });
  expect(await execute("start.templates")).toEqual([]);

  const binary = { name: "x.bin", data: Buffer.from([0, 1, 2]).toString("base64") };
  await expect(fixture.start({ goal: "g", quick: true, attachments: [binary] })).rejects.toThrow(
    /not a text file/u,
  );
  await expect(fixture.start({ goal: "g", models: { validator: "no-such" } })).rejects.toThrow(/no-such/u);

  const configFile = join(fixture.root, ".hox/config.toml");
  const config = await readFile(configFile, "utf8");
  const refused = [
    ['[workflow]\npanel = "on"\n', "one", /can't have one validator.*workflow\.panel = "on"/u],
    ['[workflow]\npanel = "off"\n', "panel", /can't have a panel.*workflow\.panel = "off"/u],
    ["[validation]\nvalidator_count = 1\n", "panel", /No panel possible: validation\.validator_count is 1/u],
  ] as const;
  for (const [text, validators, reason] of refused) {
    await writeFile(configFile, text);
    const { untrusted } = await execute("start.choices");
    await execute("start.answerSettings", { texts: untrusted.map((one) => one.text), answer: "trust" });
    await expect(fixture.start({ goal: "g", validators })).rejects.toThrow(reason);
  }
  await writeFile(configFile, config);

  // Whoever wrote the repository wrote this, and nobody has trusted it.
  const file = join(fixture.root, ".hox/config.toml");
  await writeFile(
    file,
    `${await readFile(file, "utf8")}\n[gates]\nland = "auto"\n[budget]\nmax_usd = 50000\n`,
  );
  const limits = { limits: { microDollars: fixture.settings.defaultMicroDollars } };
  expect(await execute("start.choices")).toMatchObject({
    ...limits,
    untrusted: [{ text: 'gates.land = "auto"', isIgnored: false }, { text: "budget.max_usd = 50000" }],
  });

  await fixture.start({
    goal: "Write a",
    quick: true,
    maxIterations: 7,
    validators: "panel",
    models: { orchestrator: "claude-opus-5-5" },
    efforts: { agent: "low" },
    attachments: [
      { name: "wishes.md", data: base64("Only one line.") },
      { name: "sketch.png", data: pixel },
    ],
  });
  await fixture.card("land");
  expect(fixture.engine.state().run).toMatchObject({
    maxIterations: 7,
    budget: { limitMicroDollars: fixture.settings.defaultMicroDollars },
  });
  await execute("start.answerSettings", { texts: ["budget.max_usd = 50000"], answer: "trust" });
  await execute("start.answerSettings", { texts: ['gates.land = "auto"', "made up"], answer: "ignore" });
  expect(await execute("start.choices")).toMatchObject({
    limits: { microDollars: 50_000_000_000 },
    untrusted: [{ text: 'gates.land = "auto"', isIgnored: true }],
  });
  const requests = fixture.standIn.requests().filter(({ seen }) => seen.role === "agent-1");
  const [first] = requests;
  expect(first?.seen.tools).toContain("read_attachment");
  expect(first?.seen.prompt).toContain("- wishes.md (1 kB), a text");
  const last = JSON.stringify(requests.at(-1)?.body);
  expect(last).toContain("Only one line.");
  expect(last).toContain(pixel);
  expect(last).toContain("Nothing called nothing is attached. There are: wishes.md, sketch.png.");
  expect(last).toContain('"effort":"low"');
  expect(fixture.engine.state().run?.workers.find(({ name }) => name === "O-A-1")?.model).toBe(
    "claude-opus-5-5",
  );
  // Small and without a risk, and a quick run: the panel is there because it was chosen.
  expect(fixture.engine.state().run?.validation).toMatchObject({ verdict: "approved" });
  expect(fixture.engine.state().run?.validation?.seats).toHaveLength(4);
  expect((await execute("start.choices")).last).toMatchObject({
    isQuick: true,
    validators: "panel",
    models: { agent: "claude-sonnet-5-5", orchestrator: "claude-opus-5-5" },
    efforts: { agent: "low" },
  });
});

test("a model that the key cannot use is reported before anything is paid", async () => {
  fixture = await createFixture({ apiKey: "another", script });
  const checked = await fixture.execute("start.checkModel", { model: "claude-haiku-5-5" });
  expect(checked).toMatchObject({ outcome: "refused" });
  expect(checked.words).toContain("rejected the API key");
  expect(fixture.standIn.requests()).toHaveLength(0);
});
