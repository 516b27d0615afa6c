import type { Scene, Seen, Step } from "../src-main/model/stand-in/script.ts";
import { type StandIn, startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import { expect, test } from "./test.ts";

const call = (tool: string, input: Record<string, unknown>): Step => ({ calls: [{ tool, input }] });
const done = (summary: string): Step => call("report_done", { summary });
const scene = (name: string, prompt: Scene["prompt"], ...steps: Scene["steps"]): Scene => ({
  ...{ name, steps, optional: true },
  ...(prompt === undefined ? {} : { prompt }),
});
const path = "src/names.js";
const first = "export const one = 1;\nexport const other = 2;\n";
const second = "// Names.\nexport const one = 1;\nexport const other = 2;\n";

const tasks = ["Write the names", "Write the notes"].map((title, at) => ({
  ...{ id: `t${at + 1}`, title, description: "", phase: 1, priority: "medium", files: [], after: [] },
}));

const script = {
  name: "line-comments",
  routes: {
    "O-A-1": [
      scene(
        "plan",
        "[EVENT plan",
        call("propose_plan", {
          ...{ goal: "Name things", summary: "", orchestrators: { count: 1, reason: "" }, tasks },
          contracts: { title: "What all share", description: "", files: [] },
          phases: [{ number: 1, title: "Build" }],
          integration: { title: "Bring it together", description: "" },
          budget: { tokens: null, microDollars: null },
        }),
      ),
      scene(
        "judges",
        "[EVENT merge request ready]",
        call("list_files", { path: "." }),
        call("approve_merge_request", {}),
      ),
      scene("else", undefined, done("I mind it.")),
    ],
    "agent-1": [
      scene(
        "again",
        "## Changes requested",
        call("read_file", { path }),
        call("write_file", { path, content: second }),
        done("It stays, and why stands above."),
      ),
      scene("begins", undefined, call("write_file", { path, content: first }), done("Named.")),
    ],
    "agent-2": [scene("begins", undefined, call("write_file", { path: "notes.md", content: "Notes.\n" }))],
    "reviewer-*": [
      scene(
        "reads",
        undefined,
        call("give_remarks", {
          ...{ verdict: "changes", remarks: "" },
          lines: [{ path, line: 2, text: "Nobody can tell what the other one is for." }],
        }),
      ),
    ],
  },
} as const;

let standIn: StandIn | undefined;
test.afterEach(() => standIn?.close());

test("judges' remarks stay at their lines in later rounds; a key comments on a line, and interrupts agent and orchestrator", {
  tag: "@long",
}, async ({ start, playground, scene: picture, accessible }) => {
  standIn = await startStandIn({ script });
  const model = standIn;
  playground.answeredBy(model);
  const root = await playground.repository("project", ["lay the foundation"]);
  await playground.configure(
    root,
    [
      '[backpressure]\nfast_checks = []\nslow_checks = []\npreflight = "off"',
      '[workflow]\ncontracts = "on"\nreviews = "on"',
      '[gates]\nplan = "auto"',
      '[merge_requests]\nfirst_reviewer = "claude-haiku-5-5"\n',
    ].join("\n"),
  );
  await playground.jj(root, ["commit", "-m", "settings"]);
  const isAgain = ({ role, prompt }: Seen) => role === "agent-1" && prompt.includes("## Changes requested");
  const letAgentGo = model.hold(isAgain);
  model.hold(({ role }) => role === "agent-2");
  const letLeadGo = model.hold(({ prompt }) => prompt.startsWith("[EVENT merge request ready]"));
  const asked = (of: (seen: Seen) => boolean) => model.requests().filter(({ seen }) => of(seen));
  const notes = () =>
    model
      .requests()
      .map(({ body }) => JSON.stringify(body))
      .filter((body) => /\[NOTE\] The user (?:writes|wrote) to you/u.test(body));

  const { app } = await start({ folder: root });
  const { page } = app;
  await page.getByRole("button", { name: "Start a run" }).click();
  await page.getByRole("dialog", { name: "Start a run" }).getByLabel("Goal").fill("Name things");
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect.poll(() => asked(isAgain).length).toBe(1);
  const task = app.graph.row("Write the names");
  await task.dblclick();
  await page.keyboard.press("Alt+r");
  const wide = page.getByRole("region", { name: "Diff", exact: true });
  const file = wide.getByRole("region", { name: path });
  const remark = file.getByRole("article", { name: "Comment by The first reviewer of agent-1" });
  await expect(remark).toContainText("asks for changes in round 1");
  await expect(remark).toContainText("Nobody can tell what the other one is for.");

  await test.step("a line is commented on by key, to its agent and to its orchestrator", async () => {
    for (const [keys, reader, words] of [
      [["ArrowDown", "ArrowDown"], "agent-1", "Say it in a comment."],
      [["ArrowUp"], "O-A-1", "Is one enough?"],
    ] as const) {
      for (const key of keys) await page.keyboard.press(key);
      await page.keyboard.press("c");
      const form = file.getByRole("form", { name: /^Comment on line/u });
      await form.getByRole("textbox", { name: "Comment" }).fill(words);
      await form.getByRole("button", { name: reader, exact: true }).click();
      if (reader === "agent-1") await picture("82b-remark-and-comment");
      await page.keyboard.press("ControlOrMeta+Enter");
      const card = file.getByRole("article", { name: new RegExp(words.slice(0, -1), "u") });
      await expect(card).toContainText(`sent to ${reader}`);
    }
    await accessible("remarks and comments in a diff");
  });

  // The next words can be sent when the host has the ones before, and the wish to interrupt with them.
  const isHeard = async (name: string) => {
    await app.inspector.composer(name).fill("And");
    await expect(app.inspector.region.getByRole("button", { name: /^Send/u })).toBeEnabled();
    await app.inspector.composer(name).fill("");
  };

  await test.step("what was written is read at once", async () => {
    await page.keyboard.press("Escape");
    await expect(wide).toHaveCount(0);
    await app.inspector.show("Agent");
    await app.inspector.composer("agent-1").fill("At once, please.");
    await page.keyboard.press("ControlOrMeta+Enter");
    const mine = app.inspector.region.getByRole("listitem", { name: "You to agent-1" });
    await expect(mine.filter({ hasText: "At once" })).toContainText("not read yet");
    await isHeard("agent-1");
    letAgentGo();
    await expect(mine.filter({ hasText: "At once" })).toContainText("read and acted on");
    expect(
      notes().some((body) => /names\.js, line 2 .*Say it in a comment.*At once, please/u.test(body)),
    ).toBe(true);
  });

  await test.step("a later round dims it, and it has followed its line", async () => {
    await expect
      .poll(() => asked(({ prompt }) => prompt.startsWith("[EVENT merge request ready]")).length)
      .toBe(1);
    await page.setViewportSize({ width: 1024, height: 700 });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.keyboard.press("Alt+r");
    await expect(remark).toHaveAttribute("data-past", "true");
    await expect(remark).toContainText("The merge request was updated in round 2.");
    await expect(file).toContainText("// Names.");
    await picture("82c-remark-of-an-earlier-round-dark-small");
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.keyboard.press("Escape");
  });

  await test.step("an orchestrator is interrupted while it judges", async () => {
    await app.graph.row("Contracts: Name things").dblclick();
    await app.inspector.show("Agent");
    await app.inspector.composer("O-A-1").fill("Mind the names.");
    await picture("82d-orchestrator-can-be-interrupted");
    await app.inspector.region.getByRole("button", { name: /^Interrupt/u }).click();
    await isHeard("O-A-1");
    letLeadGo();
    await expect
      .poll(() =>
        notes().some((body) =>
          /while you are answering \[EVENT merge request ready\].*Mind the names/u.test(body),
        ),
      )
      .toBe(true);
    await expect(app.notices).toContainText("O-A-1 answers you: I mind it.");
  });
});
