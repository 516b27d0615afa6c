import {
  externalAgentFiles,
  externalAgentScript,
  reportsStore,
} from "../src-main/engine/testing/external-agent-script.ts";
import { startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import { expect, test } from "./test.ts";

test.use({ runView: "canvas" });

test("an agent of another make is chosen in the start dialog, works on its task and lands", async ({
  start,
  playground,
  scene,
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
    page.setDefaultTimeout(15_000);
    await app.graph.shown();
    await page.keyboard.press("Control+Enter");
    const dialog = app.dialog("Start a run");
    await page.getByLabel("Goal").fill("Write the store");
    await dialog.getByText("Models", { exact: true }).click();
    const agents = dialog.getByLabel("Agents", { exact: true });
    await agents.fill("codex");
    await expect(dialog).toContainText("Codex has no model. Name one: codex/<model>");
    await scene("198-agent-without-a-model-light");
    await agents.fill("scripted/claude-sonnet-5-5");
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
