import {
  externalAgentFiles,
  externalAgentScript,
  reportsStore,
} from "../src-main/engine/testing/external-agent-script.ts";
import { call } from "../src-main/engine/testing/merge-request-script.ts";
import { acceptsMergeRequests, done, plan, write } from "../src-main/engine/testing/three-agents-script.ts";
import { startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import { expect, test } from "./test.ts";

test.use({ runView: "canvas" });

test("an agent of another make is chosen in the start dialog, works on its task and lands", async ({
  start,
  playground,
  scene,
  scenes,
  accessible,
}) => {
  const standIn = await startStandIn({ script: externalAgentScript, models: ["claude-sonnet-5-5"], pace: 0 });
  playground.answeredBy(standIn);
  try {
    const steps = [
      { say: "I keep users in a file." },
      { write: "src/store.txt", text: "the store\n" },
      reportsStore,
    ];
    const root = await playground.filledRepository("project", externalAgentFiles([steps]));
    const { app } = await start({ folder: root });
    const { page, inbox } = app;
    await app.graph.shown();
    await page.keyboard.press("ControlOrMeta+,");
    const settings = app.dialog("Settings");
    const agents = settings.getByRole("region", { name: "Other agents" });
    await agents.scrollIntoViewIfNeeded();
    await expect(agents.getByRole("listitem", { name: "scripted" })).toContainText("scripted-agent.mjs");
    await expect(agents.getByRole("listitem", { name: "Codex" })).toContainText(
      /npm install -g \S+codex-acp@/u,
    );
    await agents.getByRole("button", { name: "Check again" }).scrollIntoViewIfNeeded();
    await scenes("197-agents-in-settings");
    await accessible("the agents in the settings");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await agents.getByRole("button", { name: "Copy the command that installs Codex" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^npm install -g/u);
    await agents.getByRole("button", { name: "Check again" }).click();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Enter");
    const dialog = app.dialog("Start a run");
    await page.getByLabel("Goal").fill("Write the store");
    await dialog.getByText("Models", { exact: true }).click();
    const choice = dialog.getByLabel("Agents", { exact: true });
    await choice.fill("codex");
    await expect(dialog).toContainText("Codex has no model. Name one: codex/<model>");
    await scene("198-agent-without-a-model-light");
    await choice.fill("scripted/claude-sonnet-5-5");
    await expect(dialog).toContainText("scripted is installed.");
    await scene("198-other-agent-chosen-light");
    await accessible("a start with an agent of another make");
    await page.getByLabel("Goal").press("Control+Enter");
    await expect(dialog).toBeHidden();
    await (await inbox.waitFor("plan")).getByRole("button", { name: /^Approve/u }).click();
    const land = await inbox.waitFor("land");
    await page.getByText("Write the store").first().click();
    await app.inspector.open();
    await scene("199-work-of-another-agent-light");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 1024, height: 700 });
    await scene("199-work-of-another-agent-dark-small");
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole("tab", { name: /^Inbox/u }).click();
    await land.getByRole("button", { name: /^Land on main/u }).click();
    await expect(page.getByRole("button", { name: "Start a run" })).toBeVisible();
    expect(await playground.jj(root, ["file", "show", "-r", "main", "src/store.txt"])).toBe("the store\n");
  } finally {
    await standIn.close();
  }
});

const model = "claude-sonnet-5-5";

/** Two tasks: agent-1 and agent-3 try the store, agent-2 has the API. */
const mixedScript = {
  ...externalAgentScript,
  routes: {
    ...externalAgentScript.routes,
    "O-A-1": [
      {
        name: "plans",
        prompt: /^\[EVENT plan/u,
        steps: [
          call("propose_plan", {
            ...plan,
            contracts: { ...plan.contracts, files: [] },
            tasks: plan.tasks.slice(0, 2),
          }),
        ],
      },
      { ...acceptsMergeRequests, optional: true },
    ],
    "agent-1": [
      { name: "writes", steps: [write("src/store.txt", "users in memory\n"), done("Users are in memory.")] },
    ],
    "agent-3": [{ name: "says", steps: [{ say: "A file is enough." }], optional: true }],
  },
};

const triesStore = [
  { think: "The store has to survive a restart, so it needs a file." },
  {
    plan: [
      { content: "Look for users", status: "completed", priority: "medium" },
      { content: "Write the store", status: "in_progress", priority: "high" },
      { content: "Run the checks", status: "pending", priority: "medium" },
    ],
  },
  {
    call: { title: "grep -rn users .", kind: "execute", rawInput: { command: "grep -rn users ." } },
    result: { content: [{ type: "content", content: { type: "text", text: "readme.md:1: users" } }] },
  },
  {
    model: "/v1/messages",
    body: {
      model,
      max_tokens: 100,
      stream: true,
      system: "Hox-Role: agent-3",
      messages: [{ role: "user", content: "Is a file enough?" }],
    },
  },
  { say: "I keep users in a file, so that a restart loses none." },
  { write: "src/store.txt", text: "users in a file\n" },
  { ask: "Run sh check.sh" },
  { mcp: "report_done", input: { summary: "Users are in a file." } },
];

test("tasks of a plan get agents of other makes, and two agents try one task side by side", async ({
  start,
  playground,
  scene,
  scenes,
  accessible,
}) => {
  const standIn = await startStandIn({ script: mixedScript, models: [model], pace: 0 });
  playground.answeredBy(standIn);
  try {
    const files = externalAgentFiles([triesStore], 'permissions = "ask"\n');
    const one = files[".hox/config.toml"];
    const writesApi = [[{ write: "src/api.txt", text: "the api\n" }, reportsStore]];
    const other = externalAgentFiles(writesApi)[".hox/config.toml"].split("[[agent]]")[1] ?? "";
    const root = await playground.filledRepository("project", {
      ...files,
      ".hox/config.toml": `${one}\n[[agent]]${other.replace('"scripted"', '"other"')}`,
    });
    const { app } = await start({ folder: root });
    const { page, inbox } = app;
    await app.graph.shown();
    await page.keyboard.press("Control+Enter");
    await page.getByLabel("Goal").fill("Keep users");
    await page.getByLabel("Goal").press("Control+Enter");
    await inbox.waitFor("plan");

    // From the menu of a planned task, and by its field in the inspector.
    await app.plan.part("Write the api").first().click({ button: "right" });
    await page.getByRole("menuitem", { name: "Agent", exact: true }).hover();
    await page.getByRole("menuitemcheckbox", { name: `other/${model}` }).click();
    await app.plan.part("Write the store").first().click({ button: "right" });
    await page.getByRole("menuitem", { name: "Try this task" }).hover();
    await page.getByRole("menuitem", { name: "Also with another agent" }).hover();
    await expect(page.getByRole("menuitem", { name: `scripted/${model}` })).toBeVisible();
    await scene("200-also-with-another-agent");
    await page.getByRole("menuitem", { name: `scripted/${model}` }).click();
    await app.plan.part("Write the store").first().click();
    const second = app.plan.inspector.getByLabel("Agent of attempt 2");
    await expect(second).toHaveValue(`scripted/${model}`);
    await second.fill("codex");
    await expect(app.plan.inspector).toContainText("Codex has no model.");
    await second.fill(`scripted/${model}`);
    await expect(app.plan.inspector).not.toContainText("Codex has no model.");
    await scenes("201-agents-in-the-plan");
    await accessible("a plan with agents");
    await page.keyboard.press("ControlOrMeta+Enter");

    // All three work; one asks for a permission.
    const permission = await inbox.waitFor("align-request");
    await expect(permission).toContainText("Run sh check.sh");
    await scenes("202-mixed-run");
    await page.getByText("Write the store · attempt 2").first().click();
    await app.inspector.open();
    await app.inspector.show("Agent");
    await expect(app.inspector.region).toContainText("so that a restart loses none");
    await scenes("203-conversation-of-another-agent");
    await app.inspector.show("Details");
    await scene("203-details-of-another-agent-light");
    await page.getByTitle("What to do with agent-3").first().click();
    await expect(page.getByRole("menuitem", { name: /Ask….*can’t answer on the side/u })).toBeDisabled();
    await scene("204-what-it-cannot-do");
    await page.keyboard.press("Escape");
    await (await inbox.waitFor("align-request")).getByRole("button", { name: "allow_once" }).click();

    // The attempts of both, with cost, checks and diffs.
    const card = await inbox.waitFor("attempts");
    await expect(card).toContainText(`scripted/${model}`);
    await scenes("205-attempts-of-two-agents");
    await card.getByRole("button", { name: "Compare side by side" }).click();
    const compared = page.getByRole("dialog", { name: "2 attempts: Write the store" });
    await expect(compared.locator("[data-attempt=agent-3]")).toContainText("users in a file");
    await expect(compared.locator("[data-attempt=agent-1]")).toContainText("users in memory");
    await scenes("206-two-agents-compared");
    await page.keyboard.press("2");
    await expect(compared.getByText("chosen", { exact: true })).toBeVisible();
    await compared.getByRole("button", { name: "Close" }).first().click();
    await (await inbox.waitFor("land")).getByRole("button", { name: /^Land on main/u }).click();
    await expect(page.getByRole("button", { name: "Start a run" })).toBeVisible();
    expect(await playground.jj(root, ["file", "show", "-r", "main", "src/store.txt"])).toBe(
      "users in a file\n",
    );
  } finally {
    await standIn.close();
  }
});
