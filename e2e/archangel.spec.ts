import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { toolPath } from "../src-main/config/tools.ts";
import { call, scriptOf } from "../src-main/engine/testing/merge-request-script.ts";
import { done, write } from "../src-main/engine/testing/three-agents-script.ts";
import type { Script } from "../src-main/model/stand-in/script.ts";
import { startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import { builtFolder } from "./host.ts";
import { expect, test } from "./test.ts";

const run = promisify(execFile);

const remark = "Any user id from outside reaches the file system: ../../etc/passwd is one too.";
const suggestion = "Hold user ids to their shape";

const base = scriptOf(
  {
    "agent-1": [
      { name: "heeds the comment", prompt: remark, steps: [done("Ids are checked.")] },
      {
        name: "begins",
        steps: [
          write(
            "src/users.js",
            'import { readFileSync } from "node:fs";\n\nexport const user = (id) => readFileSync("users/" + id, "utf8");\n',
          ),
          call("align_request", { question: "Which ids are there?", blocking: true }),
        ],
      },
    ],
    "archangel-security": [
      {
        name: "looks again",
        prompt: (seen) => seen.turns >= 3,
        steps: [call("nothing_to_say", {})],
        optional: true,
      },
      {
        name: "looks first",
        steps: [
          call("comment", { path: "src/users.js", line: 3, text: remark, relation: "risk" }),
          call("suggest_task", {
            suggestion,
            context:
              "Ids come from addresses of pages. Nothing says what one looks like, so nobody can refuse one.",
            priority: "high",
            files: ["src/ids.js"],
          }),
          call("nothing_to_say", {}),
        ],
      },
    ],
  },
  [
    {
      name: "asks the user",
      prompt: /^\[EVENT align-request\]/u,
      steps: [call("ask_user", { question: "Which ids are there?", options: ["Numbers", "Names"] })],
    },
    {
      name: "answers",
      prompt: /^\[EVENT user answered\]/u,
      steps: [call("answer_agent", { agent: "agent-1", answer: "Numbers." })],
    },
  ],
);
const script: Script = {
  ...base,
  routes: {
    ...base.routes,
    "agent-2": [
      {
        name: "does what was suggested",
        steps: [write("src/ids.js", "export const id = /^\\d+$/;\n"), done("Held.")],
      },
    ],
  },
};

test("a comment is shown at its line and sent to its agent with one key, a suggestion becomes a task, ideas wait for a run", async ({
  start,
  playground,
  scene,
  accessible,
}) => {
  const standIn = await startStandIn({ script });
  playground.answeredBy(standIn);
  try {
    const root = await playground.repository("project");
    await playground.configure(
      root,
      '[backpressure]\nfast_checks = ["true"]\nslow_checks = []\npreflight = "off"\n',
    );
    await playground.jj(root, ["commit", "-m", "settings"]);
    await playground.jj(root, ["bookmark", "set", "main", "-r", "@-"]);
    const { app } = await start({ folder: root });
    const { page, inbox, inspector } = app;

    await page.keyboard.press("Control+,");
    const settings = app.dialog("Settings");
    const row = settings.locator('[data-archangel="security"]');
    await row.scrollIntoViewIfNeeded();
    await expect(row.getByRole("button", { name: "Off" })).toHaveAttribute("aria-pressed", "true");
    await row.getByRole("button", { name: "On" }).click();
    await expect(row.getByRole("button", { name: "On" })).toHaveAttribute("aria-pressed", "true");
    await scene("90-archangels-in-the-settings");
    // Sessions are reviewed without a run, from one switch, and it says so where a run says what it does.
    const watch = settings.getByRole("group", { name: "Review my own agents: on or off" });
    await watch.getByRole("button", { name: "On" }).click();
    await expect(settings.getByText("$0.00 of $1.00 spent today")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByText("Waiting for a session's next turn").first()).toBeVisible();
    await scene("90-sessions-are-reviewed");
    await page.keyboard.press("Control+,");
    await watch.getByRole("button", { name: "Off" }).click();
    await expect(settings.getByText("Daily budget:")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByText("Ended; the comments are kept").first()).toBeVisible();

    await page.getByRole("button", { name: "Start a run" }).click();
    await page.getByLabel("Goal").fill("Speak in one tone");
    await page.getByRole("button", { name: "Save this goal for later" }).click();
    const idea = page.locator("[data-idea]").getByRole("button", { name: /Speak in one tone/u });
    await expect(idea).toBeVisible();
    await page.getByLabel("Goal").fill("Keep users");
    await scene("91-ideas");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await inbox.approve("plan");

    const card = await inbox.waitFor("suggestion");
    await expect(card.getByText("No agent waits for your answer.")).toBeVisible();
    await scene("92-suggestion");
    await accessible("a suggestion");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 1024, height: 700 });
    await scene("96-suggestion-dark");
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: "light" });
    await app.graph.row("Task of agent-1").dblclick();
    await inspector.show("Diff");
    const comment = inspector.region.locator("[data-comment]");
    await expect(comment).toContainText(remark);
    await expect(comment).toContainText("risk");
    await scene("93-comment-at-its-line");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 1024, height: 700 });
    await scene("94-comment-dark");
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: "light" });
    // The same from a terminal, through the door of the host that has the repository.
    const hox = async (...args: readonly string[]): Promise<string> => {
      const cli = join(builtFolder, "main", "cli.js");
      const { stdout } = await run(toolPath("node"), [cli, ...args, "--repo", root], {
        env: playground.environment,
      });
      return stdout;
    };
    expect(JSON.parse(await hox("comments", "--json"))).toMatchObject({
      id: "security-1",
      worker: "agent-1",
      line: 3,
      sentTo: null,
    });
    await comment.focus();
    await page.keyboard.press("s");
    await expect(comment).toContainText("sent to agent-1");

    await page.keyboard.press("r");
    await comment.getByRole("textbox").fill("Numbers only, then?");
    await page.keyboard.press("Control+Enter");
    await expect(comment.getByRole("listitem")).toContainText("Numbers only, then?");
    expect(await hox("comments")).toBe(
      `security-1  agent-1 src/users.js:3  [risk; sent to agent-1]\n  ${remark}\n    you: Numbers only, then?\n`,
    );
    await hox("comments", "resolve", "security-1");
    await expect(inspector.region.locator("[data-comment]")).toHaveCount(0);
    await hox("comments", "reopen", "security-1");
    await expect(comment).toContainText(remark);
    await comment.focus();
    await page.keyboard.press("e");
    await expect(inspector.region.locator("[data-comment]")).toHaveCount(0);
    await inspector.region.getByRole("button", { name: "Close", exact: true }).click();
    // Resolved comments are dimmed in the overview of the run.
    const resolved = inspector.region.getByRole("region", { name: "Comments" }).locator("[data-comment]");
    const colourOf = (element: Element) => getComputedStyle(element).color;
    await expect(resolved).toContainText(remark);
    expect(await resolved.evaluate(colourOf)).not.toBe(await inspector.region.evaluate(colourOf));
    const archangel = inspector.region.locator('[data-archangel="security"]');
    await archangel.getByText("Last review").click();
    await expect(archangel.getByText("every file")).toBeVisible();
    await scene("95-archangels-of-a-run");

    await (await inbox.waitFor("suggestion")).getByRole("button", { name: /^Add as task/u }).focus();
    await page.keyboard.press("a");
    await expect(inbox.card("suggestion")).toHaveCount(0);
    await expect(app.graph.row(suggestion)).toBeVisible();

    await (await inbox.waitFor("align-request")).getByRole("button", { name: /Numbers/u }).click();
    await expect
      .poll(() =>
        standIn.requests().some(({ seen }) => seen.role === "agent-1" && seen.prompt.includes(remark)),
      )
      .toBe(true);
    await expect(app.graph.row(suggestion).getByRole("img", { name: "done", exact: true })).toBeVisible();
  } finally {
    await standIn.close();
  }
});
