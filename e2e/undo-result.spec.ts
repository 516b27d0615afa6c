import { join } from "node:path";
import { quickScript } from "../src-main/engine/testing/quick-script.ts";
import { startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import { expect, test } from "./test.ts";

const goals = ["Write the store", "Write the view", "Write the index"] as const;
const config =
  '[backpressure]\nfast_checks = ["true"]\nslow_checks = []\npreflight = "off"\n\n[run]\nquick = true\n';

test("a landing is undone by a key and from the operation log, a push is not; graph, runs and report show each result", {
  tag: "@long",
}, async ({ start, playground, scene, accessible }) => {
  const standIn = await startStandIn({
    script: quickScript(...goals),
    pace: 0,
  });
  playground.answeredBy(standIn);
  try {
    const root = await playground.configuredRepository("project", config);
    const remote = join(playground.folder, "remote.git");
    await playground.git(remote, ["init", "--bare", "--quiet", "."]);
    await playground.jj(root, ["git", "remote", "add", "origin", remote]);
    const main = () =>
      playground.jj(root, ["log", "--ignore-working-copy", "--no-graph", "-r", "main", "-T", "commit_id"]);
    const before = await main();
    const { app } = await start({ folder: root });
    const { page, inbox, inspector } = app;
    await app.graph.shown();
    const begin = page.getByRole("button", { name: "Start a run" });
    const landed = async (goal: (typeof goals)[number]): Promise<string> => {
      await page.keyboard.press("Control+Enter");
      await page.getByLabel("Goal").fill(goal);
      await page.keyboard.press("Control+Enter");
      const land = await inbox.waitFor("land");
      await land.getByRole("button", { name: /^Land on main/u }).click();
      await expect(begin).toBeVisible();
      await app.graph.grid.focus();
      await inspector.open();
      await expect(inspector.region).toContainText("Landed on main");
      const commit = await main();
      expect(commit).not.toBe(before);
      return commit;
    };
    /** The row of the operation that moved main there: that of an earlier one may be on top for a moment. */
    const moved = (subject: string) =>
      app.operations.region
        .getByRole("listitem")
        .filter({ hasText: `moved main to “${subject}”` })
        .first();
    /** In the list of runs and in its report. */
    const listedAs = async (goal: string, isTakenBack: boolean): Promise<void> => {
      await page.keyboard.press("Alt+3");
      const runs = page.getByRole("region", { name: "Runs" });
      await expect(
        runs.getByRole("region", { name: "List of runs" }).getByRole("option").first(),
      ).toContainText(isTakenBack ? "landing undone" : "landed on main");
      const report = runs.getByRole("article", { name: "Report" });
      await expect(report).toContainText(goal);
      await (isTakenBack ? expect(report) : expect(report).not).toContainText("landing undone");
      await page.keyboard.press("Escape");
      await expect(runs).toHaveCount(0);
    };
    /** All that speaks of the run says that it is off the branch, and what landed is still on the graph. */
    const isTakenBack = async (goal: (typeof goals)[number]): Promise<void> => {
      expect(await main()).toBe(before);
      await expect(app.graph.row(".hox/config.toml")).toContainText("main");
      await expect(app.graph.row(goal)).not.toHaveCount(0);
      await expect(inspector.region).toContainText("landing on main was undone");
      await expect(inspector.region.getByRole("button", { name: "Undo landing…" })).toHaveCount(0);
      await expect(inspector.region.getByRole("region", { name: "Push" })).toHaveCount(0);
      await listedAs(goal, true);
    };
    const standsAgain = async (goal: (typeof goals)[number]): Promise<void> => {
      await expect(inspector.region).toContainText("Landed on main");
      await expect(inspector.region.getByRole("button", { name: "Undo landing…" })).toHaveCount(1);
      await listedAs(goal, false);
    };
    const isRefused = async (words: string): Promise<void> => {
      await page.keyboard.press("ControlOrMeta+z");
      await expect(app.notices).toContainText(words);
    };

    await test.step("by the key, after a look at what comes off the branch; a no leaves everything", async () => {
      const commit = await landed(goals[0]);
      const question = app.dialog("Undo the landing on main?");
      await page.keyboard.press("ControlOrMeta+z");
      await expect(question).toContainText(goals[0]);
      await scene("170-take-a-landing-back");
      await page.keyboard.press("Escape");
      await expect(question).toHaveCount(0);
      expect(await main()).toBe(commit);
      await page.keyboard.press("ControlOrMeta+z");
      await expect(question.getByRole("button", { name: "Undo", exact: true })).toBeFocused();
      await page.keyboard.press("Enter");
      await expect(app.notices).toContainText("Undone: the landing on main.");
      await isTakenBack(goals[0]);
      await scene("171-landing-taken-back");
      await page.keyboard.press("ControlOrMeta+Shift+z");
      await expect(app.notices).toContainText(`Not redone: the landing on main.`);
      await expect(app.notices).toContainText(`git merge ${commit.slice(0, 12)}`);
    });

    await test.step("from the operation log, as an undo of the landing", async () => {
      const commit = await landed(goals[1]);
      await app.operations.open();
      const row = moved(goals[1]);
      await row.hover();
      await row.getByRole("button", { name: "Undo this operation" }).click();
      await app.dialog("Undo this operation?").getByRole("button", { name: "Undo" }).click();
      await expect.poll(main).toBe(before);
      await isTakenBack(goals[1]);
      await isRefused("Not undone: undoing the landing on main.");
      // That row can be undone as well, which restores the landing everywhere.
      const back = moved(".hox/config.toml");
      await back.hover();
      await back.getByRole("button", { name: "Undo this operation" }).click();
      await app.dialog("Undo this operation?").getByRole("button", { name: "Undo" }).click();
      await expect.poll(main).toBe(commit);
      await standsAgain(goals[1]);
      await page.keyboard.press("ControlOrMeta+z");
      await expect.poll(main).toBe(before);
      await isTakenBack(goals[1]);
      await page.getByRole("button", { name: "Operations" }).click();
    });

    await test.step("a push stays, by the key and by every way back of what it pushed", async () => {
      const commit = await landed(goals[2]);
      await inspector.region.getByRole("button", { name: "Push main…" }).click();
      await app.dialog("Push main to origin?").getByRole("button", { name: "Push", exact: true }).click();
      await page.getByRole("button", { name: "Push metadata" }).click();
      await expect(inspector.region.getByRole("region", { name: "Push" })).toContainText("main is on origin");
      await app.graph.grid.focus();
      await isRefused("Not undone: the push of main to origin. Others may have fetched it already.");
      await isRefused("Not undone: the landing on main. It was already pushed to origin/main.");
      await scene("172-push-is-not-undone");
      await inspector.region.getByRole("button", { name: "Undo landing…" }).click();
      await expect(app.notices).toContainText("It was already pushed to origin/main.");
      await app.operations.open();
      const row = moved(goals[2]);
      await row.hover();
      await row.getByRole("button", { name: "Undo this operation" }).click();
      await app.dialog("Undo this operation?").getByRole("button", { name: "Undo" }).click();
      await expect(app.notices).toContainText("The operation was not undone");
      expect(await main()).toBe(commit);
      expect((await playground.git(remote, ["rev-parse", "main"])).trim()).toBe(commit);
    });

    await test.step("who comes later finds the three as small scores, and a report behind each by keys", async () => {
      await page.reload();
      await app.graph.shown();
      await page.keyboard.press("Alt+2");
      const recent = page.getByRole("region", { name: "Recent runs" });
      const runs = recent.getByRole("list", { name: "Recent runs" }).getByRole("button");
      await expect(runs).toHaveCount(3);
      await expect(runs.filter({ hasText: "landing undone" })).toHaveCount(2);
      await expect(runs.filter({ hasText: "landed on main" })).toHaveCount(1);
      for (const colorScheme of ["dark", "light"] as const)
        for (const [width, height] of [
          [800, 600],
          [1440, 900],
        ] as const) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height });
          await expect(runs.first()).toBeInViewport();
          await scene(`179-recent-runs-${width}-${colorScheme}`);
        }
      await accessible("recent runs");
      await recent.focus();
      // Past the two buttons above them.
      for (let at = 0; at < 3; at += 1) await page.keyboard.press("Tab");
      await expect(runs.first()).toBeFocused();
      await page.keyboard.press("Enter");
      await expect(page.getByRole("article", { name: "Report" })).toContainText(goals[2]);
    });
  } finally {
    await standIn.close();
  }
});
