import { config } from "../src-main/engine/testing/merge-request-script.ts";
import { calmAgents } from "../src-main/engine/testing/three-agents-script.ts";
import {
  createForgeWorld,
  everything,
  type ForgeWorld,
  ownToken,
  type WorldPullRequest,
} from "../src-main/forge/testing/forge-world.ts";
import { serveGithub } from "../src-main/forge/testing/github-server.ts";
import { startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import { replyText } from "../src-shared/domain/forge/forge-text.ts";
import { expect, test } from "./test.ts";

test.use({ runView: "canvas" });

test("a run from an issue opens as one draft for each task, after the user has seen each as it appears", async ({
  start,
  playground,
  scene,
  accessible,
}) => {
  const standIn = await startStandIn({ script: calmAgents, models: ["claude-sonnet-5-5"], pace: 0 });
  playground.answeredBy(standIn);
  const world = createForgeWorld({ folder: `${playground.folder}/forge`, now: Date.now, hasStacks: true });
  world.tokens.set(ownToken, {
    user: world.user("me"),
    permissions: everything,
  });
  world.addIssue("Users vanish after a restart", "They are **gone**.", { labels: ["bug", "storage", "p1"] });
  world.addIssue("Old users", "", { isOpen: false });
  world.addIssue(
    "Write a guide to backups, and say where users are kept while the store is being replaced",
    "",
  );
  const [issue] = world.issues;
  const forge = await serveGithub(world);
  Object.assign(playground.environment, {
    GH_HOST: forge.host,
    GH_ENTERPRISE_TOKEN: ownToken,
  });
  try {
    const root = await playground.filledRepository(
      "project",
      config('[workflow]\ncontracts = "off"\nlearning = "off"\npanel = "off"\nintegrator = "auto"\n'),
    );
    await playground.git(root, ["remote", "add", "origin", `http://${forge.host}/acme/widgets.git`]);
    await playground.git(root, ["push", "-q", "-f", "origin", "main"]);
    await playground.git(root, ["fetch", "-q", "origin"]);
    const { app } = await start({ folder: root });
    const { page, inbox } = app;
    await app.graph.shown();
    await page.keyboard.press("Control+Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "From an issue…" }).click();
    const find = dialog.getByLabel("Find an issue");
    const issues = dialog.getByRole("listbox", { name: "Issues" });
    await expect(issues.getByRole("option")).toHaveCount(2);
    await scene("208-find-an-issue-light");
    await accessible("issues to start from");
    await find.fill("nothing like it");
    await expect(dialog.getByText("No open issue of acme/widgets matches")).toBeVisible();
    world.faults.isDown = true;
    await find.fill("gone");
    await expect(dialog.getByRole("alert").filter({ hasText: "internal error" })).toBeVisible();
    await page.emulateMedia({ colorScheme: "dark" });
    await scene("208-find-an-issue-failed-dark");
    world.faults.isDown = false;
    await dialog.getByRole("button", { name: "Retry" }).click();
    await expect(issues.getByRole("option")).toHaveCount(1);
    await find.fill("#2");
    await expect(issues.getByRole("option")).toContainText("closed");
    await find.press("Escape");
    await expect(issues.getByRole("option")).toHaveCount(2);
    await find.press("ArrowDown");
    await find.press("ArrowUp");
    await find.press("Enter");
    await expect(page.getByLabel("Goal")).toHaveValue(/^Resolve issue #1, "Users vanish after a restart"/u);
    await expect(dialog.getByRole("button", { name: "From an issue…" })).toBeFocused();
    const link = dialog.getByLabel("Link the pull request on the issue");
    await expect(link).not.toBeChecked();
    await link.check();
    await page.setViewportSize({ width: 1024, height: 700 });
    await scene("209-chosen-issue-dark-small");
    await accessible("a chosen issue");
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: "light" });
    await scene("209-chosen-issue-light");
    await page.getByLabel("Goal").press("Control+Enter");
    await (await inbox.waitFor("plan")).getByRole("button", { name: /^Approve/u }).click();
    const land = await inbox.waitFor("land");
    await land.getByText("One per task", { exact: true }).first().click();
    await expect(land).toContainText("acme/widgets on GitHub");
    const drafts = land.getByRole("region", { name: "Drafts that open" });
    await expect(drafts).toContainText("comments once on issue #1");
    const top = drafts.getByRole("listitem").first();
    await top.getByRole("button").click();
    await expect(top).toContainText("Closes #1.");
    const isStoreOnTop = (await top.getByLabel("Title").inputValue()) === "Write the store";
    await top.getByLabel("Title").fill("Keep users on disk");
    expect(world.pullRequests, "nothing is pushed before the user's yes").toEqual([]);
    await scene("210-land-as-a-stack-light");
    await accessible("a result that opens as a stack");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 1024, height: 700 });
    await scene("210-land-as-a-stack-dark-small");
    await page.setViewportSize({ width: 1440, height: 900 });
    await land.getByRole("button", { name: /^Open drafts/u }).click();
    await expect.poll(() => issue?.comments.length).toBe(1);
    expect(world.pullRequests.length).toBeGreaterThan(2);
    const pushed = world.pullRequests.at(-1);
    expect(pushed?.title).toBe("Keep users on disk");
    expect(pushed?.text).toContain("Closes #1.");
    await app.inspector.open();
    await app.inspector.show("Checks");
    const list = page.getByRole("list", { name: "Checks of the run" });
    await expect(list.getByRole("listitem").first()).toContainText("draft");
    expect(world.pullRequests.every(({ isDraft }) => isDraft)).toBe(true);
    // Which task is merged last is not certain.
    const store = isStoreOnTop ? pushed : world.pullRequests.find(({ title }) => title === "Write the store");
    if (!store) throw new Error("The store has no pull request.");
    reviewed(world, store);
    await list
      .locator("xpath=..")
      .getByRole("button", { name: /^Look again/u })
      .click();
    await expect(list).toContainText("expected 2 users, got 3");
    const thread = list.getByRole("article", { name: /^Comment of @alice/u });
    await expect(thread).toContainText("What if there are **no** users? [picture]");
    await thread.scrollIntoViewIfNeeded();
    await page.emulateMedia({ colorScheme: "light" });
    await scene("211-checks-of-a-run-light");
    await accessible("checks of a run");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 1024, height: 700 });
    await scene("211-checks-of-a-run-dark-small");
    await page.setViewportSize({ width: 1440, height: 900 });
    await list.getByRole("listitem").first().focus();
    while (!(await thread.evaluate((card) => card === document.activeElement)))
      await page.keyboard.press("ArrowDown");
    await page.keyboard.press("e");
    await expect.poll(() => store.threads[0]?.isResolved).toBe(true);
    await expect(thread).toContainText("resolved");
    await page.keyboard.press("e");
    await expect.poll(() => store.threads[0]?.isResolved).toBe(false);
    await thread.getByRole("button", { name: "src/store.txt:1" }).click();
    await page.keyboard.press("Alt+r");
    const file = page
      .getByRole("region", { name: "Diff", exact: true })
      .getByRole("region", { name: "src/store.txt" });
    await expect(file.getByRole("article", { name: /^Comment of @alice/u })).toBeVisible();
    const files = page.getByRole("navigation", { name: "Files of the change" });
    await files.getByRole("button", { name: "store.txt" }).click();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("c");
    const form = file.getByRole("form", { name: "Comment on line 1" });
    await form.getByRole("textbox", { name: "Comment" }).fill("Who reads this?");
    await form.getByRole("button", { name: "GitHub", exact: true }).click();
    await scene("212-thread-at-its-line-dark");
    await accessible("a thread at its line");
    await page.emulateMedia({ colorScheme: "light" });
    await scene("212-thread-at-its-line-light");
    await page.keyboard.press("ControlOrMeta+Enter");
    await expect.poll(() => store.threads.length).toBe(2);
    expect(store.threads[1]?.comments[0]).toMatchObject({ text: "Who reads this?", author: { name: "me" } });
    await expect(file.getByRole("article", { name: /^Comment of @me/u })).toBeVisible();
  } finally {
    await forge.close();
    await standIn.close();
  }
});

/** One check failed while another one runs, and a thread that Hox has answered. */
function reviewed(world: ForgeWorld, pull: WorldPullRequest): void {
  const head = world.headOf(pull);
  world.setCheck(head, "lint", "passed");
  world.setCheck(head, "build", "running");
  world.setCheck(head, "test", "failed", "2 tests passed\nexpected 2 users, got 3\n##[error]exit code 1\n");
  const thread = world.beginThread(pull, world.user("alice"), {
    ...{ file: "src/store.txt", line: 1 },
    text: "What if there are **no** users? <img src=x onerror=alert(1)>",
  });
  thread?.comments.push(world.comment(world.user("me"), replyText("There is always one.")));
  world.touch(pull);
}
