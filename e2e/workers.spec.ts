import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { hostArguments } from "../build/host-arguments.mjs";
import { toolPath } from "../src-main/config/tools.ts";
import { stubbornScript } from "../src-main/engine/testing/stubborn-script.ts";
import { freePort } from "../src-main/engine/testing/waiting-workers.ts";
import { startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import { builtFolder, type Playground } from "./host.ts";
import { expect, test } from "./test.ts";

test.use({ runView: "canvas" });

/** `hox worker join` as a user runs it on another machine: nothing of it is shared with the host. */
function startWorker(playground: Playground, command: string, options: readonly string[]): ChildProcess {
  const args = command.replace(/^hox /u, "").split(" ");
  const state = join(playground.folder, "worker-state");
  return spawn(
    toolPath("node"),
    [...hostArguments, join(builtFolder, "main", "cli.js"), ...args, ...options],
    {
      cwd: playground.folder,
      env: { ...playground.environment, HOX_STATE: state },
      stdio: "ignore",
    },
  );
}

test("a machine joins by an invitation, an agent works on it, and it is drained and removed", async ({
  start,
  playground,
  scene,
  accessible,
}) => {
  const script = stubbornScript("Write the store", [
    { write: "src/store.txt" },
    { run: ["sleep 600", "true"] },
  ]);
  const standIn = await startStandIn({ script, models: ["claude-sonnet-5-5"], pace: 0 });
  playground.answeredBy(standIn);
  const port = await freePort();
  playground.environment.HOX_WORKER_PORT = String(port);
  let worker: ChildProcess | null = null;
  try {
    const root = await playground.filledRepository("project", {
      "readme.md": "store\n",
      ".hox/config.toml": '[backpressure]\nfast_checks = ["true"]\nslow_checks = []\npreflight = "off"\n',
    });
    const { app } = await start({ folder: root });
    const { page, inbox } = app;
    const looks = async (name: string): Promise<void> => {
      await page.emulateMedia({ colorScheme: "light" });
      await scene(`${name}-light`);
      await page.setViewportSize({ width: 1024, height: 700 });
      await scene(`${name}-light-small`);
      await page.emulateMedia({ colorScheme: "dark" });
      await scene(`${name}-dark-small`);
      await page.setViewportSize({ width: 1440, height: 900 });
      await scene(`${name}-dark`);
    };
    await app.graph.shown();
    await page.keyboard.press("Alt+6");
    const workers = page.getByRole("region", { name: "Workers", exact: true });
    await expect(workers).toContainText("A worker is another machine on which agents work");
    await looks("220-no-workers");
    await accessible("the empty page of workers");

    // The invitation that the window shows lets exactly one machine in.
    await workers.getByRole("button", { name: "Invite a worker" }).click();
    const invitation = app.dialog("Invite a worker");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await invitation.getByRole("button", { name: "Copy the join command" }).click();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    expect(command).toMatch(
      new RegExp(`^hox worker join ws://127\\.0\\.0\\.1:${port} --invitation \\S+$`, "u"),
    );
    await looks("221-invitation");
    await accessible("an invitation");
    worker = startWorker(playground, command, ["--name", "box", "--labels", "fast", "--places", "3"]);
    await expect(invitation.getByRole("status")).toContainText("box has joined.");
    await invitation.getByRole("button", { name: "Close" }).first().click();
    const box = workers.getByRole("region", { name: "box" });
    await expect(box).toContainText("active");
    await expect(box).toContainText("0 of 3 places in use");

    // A run is told where its agents work.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Enter");
    const dialog = app.dialog("Start a run");
    await dialog.getByText("Quick: one agent").click();
    await page.getByLabel("Goal").fill("Write the store");
    const where = dialog.getByLabel("Where agents work");
    await expect(where).toHaveValue("");
    await where.selectOption("fast");
    await where.scrollIntoViewIfNeeded();
    await looks("222-where-agents-work");
    await page.getByLabel("Goal").press("Control+Enter");
    await expect(dialog).toBeHidden();
    await page.keyboard.press("Alt+6");
    await expect(box).toContainText("1 of 3 places in use");
    const agent = box.getByRole("list", { name: "Agents on box" }).getByRole("button");
    await expect(agent).toHaveText("Write the store");
    await looks("223-agent-on-a-worker");
    await accessible("the page of workers");

    // It is shown on the graph as well, to which its name leads.
    await agent.click();
    await expect(workers).toBeHidden();
    await expect(page.getByTitle("Works on worker box").first()).toBeVisible();
    await app.inspector.show("Details");
    await expect(app.inspector.region).toContainText("on worker box");
    await looks("224-place-of-an-agent");

    // By keys: drained and back, then removed.
    await page.keyboard.press("Alt+6");
    await page.keyboard.press("Tab");
    await box.getByRole("button", { name: "Drain" }).focus();
    await page.keyboard.press("d");
    await expect(box).toContainText("draining");
    await expect(box.getByRole("button", { name: "Resume" })).toBeVisible();
    await looks("225-drained-worker");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(box).toContainText("active");
    await box.getByRole("button", { name: "Drain" }).focus();
    await page.keyboard.press("Delete");
    const question = app.dialog("Remove box?");
    await expect(question).toContainText("The agent there continues elsewhere");
    await scene("226-remove-worker-dark");
    const ended = new Promise<number | null>((resolve) => worker?.once("exit", resolve));
    await question.getByRole("button", { name: "Remove" }).click();
    await expect(workers).toContainText("No workers");
    expect(await ended, "a removed worker ends and says why").not.toBe(0);

    // The agent continues here.
    await page.keyboard.press("Escape");
    await inbox.waitFor("land");
  } finally {
    worker?.kill("SIGKILL");
    await standIn.close();
  }
});
