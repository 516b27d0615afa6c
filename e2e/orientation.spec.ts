import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { calmAgents, done, write } from "../src-main/engine/testing/three-agents-script.ts";
import { startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import { expect, test } from "./test.ts";

const step = (content: string, status: string, activeForm: string) => ({ content, status, activeForm });

test("an agent's to-do list is on its card and in the inspector, a question does not interrupt it, and the user's own agent is shown @long", async ({
  start,
  playground,
  scene,
}) => {
  const standIn = await startStandIn({
    script: {
      ...calmAgents,
      routes: {
        ...calmAgents.routes,
        "agent-2": [
          {
            name: "answers",
            prompt: "[QUESTION]",
            steps: [{ say: "The contract says so: every user has an id, and the API names it." }],
          },
          {
            name: "keeps a list, and asks",
            prompt: (seen) => !seen.prompt.includes("Call it user_id."),
            steps: [
              {
                calls: [
                  {
                    tool: "todo",
                    input: {
                      todos: [
                        step("Read the contract", "completed", "Reading the contract"),
                        step("Write the routes", "in_progress", "Writing the routes"),
                        step("Say which errors there are", "pending", "Saying which errors there are"),
                      ],
                    },
                  },
                ],
              },
              {
                calls: [
                  {
                    tool: "align_request",
                    input: { question: "userId or user_id?", options: ["userId", "user_id"], blocking: true },
                  },
                ],
              },
            ],
          },
          { name: "goes on", steps: [write("src/api.txt", "GET /users/:userId\n"), done("It is there.")] },
        ],
      },
    },
  });
  const claude = join(playground.folder, "claude");
  Object.assign(playground.environment, {
    ANTHROPIC_API_KEY: standIn.apiKey,
    ANTHROPIC_BASE_URL: standIn.url,
    CLAUDE_CONFIG_DIR: claude,
  });
  try {
    const root = await playground.repository("project");
    await playground.configure(
      root,
      '[backpressure]\nfast_checks = []\nslow_checks = []\npreflight = "off"\n',
    );
    await playground.jj(root, ["commit", "-m", "settings"]);
    await playground.jj(root, ["bookmark", "set", "main", "-r", "@-"]);
    const { app } = await start({ folder: root });
    const { page, inbox, inspector } = app;
    await page.getByRole("button", { name: "Start a run" }).click();
    await page.getByLabel("Goal").fill("Keep users");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await inbox.approve("plan");
    await inbox.waitFor("align-request");

    const card = app.queue.task("Write the api");
    await expect(card.getByRole("img", { name: "1 of 3 steps: Writing the routes" })).toBeVisible();
    // It waits, and that is said in place of what it would do.
    await expect(app.graph.row("Write the api")).toContainText("1 of 3 · waiting for an answer");
    await card.click();
    await inspector.show("Details");
    const orientation = inspector.region.getByRole("region", { name: "Orientation" });
    await expect(orientation).toContainText("Keep users");
    await expect(orientation).toContainText("step 2 of 3");
    await expect(orientation.locator("[data-todo=completed]")).toHaveText("Read the contract");
    await expect(orientation.locator("[data-todo=in_progress]")).toHaveText("Writing the routes");
    await scene("90-steps-of-an-agent");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 1024, height: 700 });
    await scene("91-steps-of-an-agent-dark");
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1440, height: 900 });

    await app.agent.choose("Ask…");
    const dialog = page.getByRole("dialog", { name: "Ask agent-2" });
    await dialog.getByLabel("Question").fill("Why is there an id?");
    await page.keyboard.press("Control+Enter");
    const answer = dialog.getByRole("region", { name: "Answer", exact: true });
    await expect(answer).toContainText("every user has an id");
    await expect(answer).toContainText("$");
    await scene("92-ask");
    await page.emulateMedia({ colorScheme: "dark" });
    await scene("93-ask-dark");
    await page.emulateMedia({ colorScheme: "light" });
    await page.keyboard.press("Escape");
    await inspector.show("Agent");
    await expect(inspector.region.getByText("Why is there an id?")).toBeVisible();
    await scene("94-asked-beside-the-work");
    // It waits for its answer as before: it was not woken.
    expect(
      standIn.requests().filter(({ seen }) => seen.role === "agent-2" && !seen.prompt.includes("[QUESTION]")),
    ).toHaveLength(2);

    const at = (ago: number) => new Date(Date.now() - ago).toISOString();
    const line = (type: string, message: object, ago: number) =>
      JSON.stringify({
        type,
        message,
        cwd: root,
        sessionId: "c1a0de01-2",
        uuid: `u${ago}`,
        timestamp: at(ago),
        gitBranch: "HEAD",
      });
    const folder = join(claude, "projects", root.replaceAll(/[^A-Za-z0-9]/gu, "-"));
    await mkdir(folder, { recursive: true });
    await mkdir(join(claude, "plans"));
    const plan = join(claude, "plans", "calm-otter.md");
    await writeFile(plan, "# Rename the tables\n\n1. Users\n");
    const todos = [
      step("Rename users", "in_progress", "Renaming users"),
      step("Rename posts", "pending", "Renaming posts"),
    ];
    await writeFile(
      join(folder, "c1a0de01-2.jsonl"),
      [
        line("user", { content: `Carry out ${plan}` }, 60_000),
        line(
          "assistant",
          { content: [{ type: "tool_use", name: "TodoWrite", input: { todos } }], stop_reason: "tool_use" },
          30_000,
        ),
      ].join("\n"),
    );
    await inspector.region.getByRole("button", { name: "Close" }).click();
    const outside = inspector.region.getByRole("region", { name: "Outside Hox" });
    await expect(outside).toContainText("Rename the tables");
    await expect(outside).toContainText("claude-c1a0de01");
    await outside.locator("summary").click();
    await expect(outside.locator("[data-todo=in_progress]")).toHaveText("Renaming users");
    await expect(outside).toContainText("calm-otter.md");
    await outside.scrollIntoViewIfNeeded();
    await scene("95-outside-hox");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 1024, height: 700 });
    await outside.scrollIntoViewIfNeeded();
    await scene("96-outside-hox-dark");
  } finally {
    await standIn.close();
  }
});
