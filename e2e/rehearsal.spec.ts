import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "./test.ts";

test.use({ tour: "open" });

test("the whole rehearsal by clicking: plan, question, decision, conflict, votes, pattern, landing", async ({
  start,
  scene,
  playground,
  accessible,
}) => {
  const { app } = await start({ pace: 6 });
  await expect(app.welcome).toBeVisible();
  await scene("01-welcome");
  await app.watchRehearsal();
  await expect(app.page.getByText(/Rehearsal: model responses/u)).toBeVisible();

  const tour = app.page.getByRole("complementary", { name: "Tour" });
  const plan = await app.inbox.waitFor("plan");
  await expect(tour).toContainText("Approve the plan");
  await expect(tour).toContainText("No agent starts before you approve it.");
  await expect(plan.getByRole("article").or(plan.locator("[aria-label^='Task ']")).first()).toBeVisible();
  await scene("02-plan");

  // To the next event, which comes after the approval: there the model's text stops until you continue.
  const pace = (name: string) => tour.getByRole("button", { name, exact: true });
  await app.page.keyboard.press("Alt+j");
  await app.inbox.approve("plan");
  const question = await app.inbox.waitFor("align-request");
  await expect(pace("Pause")).toHaveAttribute("aria-pressed", "true");
  await expect(tour).toContainText("The rehearsal is paused. It continues when you answer");
  await tour.getByRole("button", { name: "Continue" }).click();
  await expect(pace("Normal")).toHaveAttribute("aria-pressed", "true");
  await expect(tour).not.toContainText("is paused");
  await expect(app.queue.region.locator("[data-queue-card]")).toHaveCount(3);
  await expect(app.graph.row("Profile API"), "the radar sees both change logs").toContainText(
    "would conflict with agent-3",
    {
      timeout: 120_000,
    },
  );
  await expect(tour).toContainText("Answer a question");
  await app.inspector.open();
  // The window is asked itself: its mark stays for two seconds.
  await Promise.all([
    app.page.waitForFunction(() => document.querySelectorAll("[data-pointed]").length === 1),
    app.page.keyboard.press("Alt+s"),
  ]);
  await expect(question, "what it speaks of comes forward").toBeVisible();
  await scene("03-question");
  await pace("Pause").click();
  await expect(tour).toContainText("is paused");
  await question.getByRole("button", { name: /user_id/u }).click();
  await expect(pace("Normal"), "an answer lets the model continue").toHaveAttribute("aria-pressed", "true");

  const decision = await app.inbox.waitFor("mutation");
  await expect(decision.getByText("Conflicts").locator("xpath=following-sibling::dd[1]")).toContainText(
    "agent-1",
  );
  await scene("04-decision");
  await accessible("a decision");
  await app.inbox.approve("mutation");

  await expect(app.page.getByText(/decision conflict/iu).first()).toBeVisible({ timeout: 120_000 });
  await expect(tour).toContainText("See a conflict resolved");
  // It would be over within seconds: the tour leaves time to look.
  await expect(tour).toContainText("paused so that you can look");
  await scene("05-mutation-conflict");
  await tour.getByRole("button", { name: "Continue" }).click();

  await expect(app.runLine).toContainText(/validat|judg|vot/iu, { timeout: 240_000 });
  await app.inspector.open();
  const validation = app.inspector.seats();
  await expect(validation).toHaveCount(4, { timeout: 120_000 });
  await expect.poll(() => app.inspector.seats("pending").count(), { intervals: [50] }).toBeLessThan(4);
  await expect(app.notices, "a vote is shown, whatever is on screen").toContainText(/approve|reject/u);
  await scene("06-votes");
  // The pattern's card arrives meanwhile, and does not replace the votes that are being read.
  await expect(app.inspector.seats("approve")).toHaveCount(3, { timeout: 120_000 });
  await expect(app.inspector.seats("reject")).toHaveCount(1);
  await expect(tour, "the verdict stays until it could be read").toContainText("Read the votes");
  await expect(tour).toContainText("paused so that you can look");
  await expect(tour.getByRole("listitem").filter({ hasText: "Read the votes, now" })).toHaveCount(1);
  await tour.getByRole("button", { name: "Continue" }).click();
  const votes = app.inspector.region.getByRole("region", { name: "Votes" });
  for (const words of [
    "each a separate model call",
    "1 may be wrong or silent.",
    "attacker",
    "claude-sonnet-5-5",
  ])
    await expect(votes.getByText(words).first()).toBeVisible();
  await expect(app.page.getByRole("tab", { name: /^Inbox 1/u })).toBeVisible({ timeout: 120_000 });
  await expect(app.inspector.region, "a card does not replace what is being read").toBeVisible();
  await scene("07-approved-by-quorum");
  await accessible("the votes");

  await app.inbox.waitFor("pattern");
  await scene("08-pattern");
  await accessible("a pattern");
  await app.page.evaluate(() => {
    const lines: string[] = [];
    Object.assign(globalThis, { runLines: lines });
    const line = document.querySelector('header [role="status"]');
    const keep = (): void => void lines.push(line?.textContent ?? "");
    if (line)
      new MutationObserver(keep).observe(line, { subtree: true, characterData: true, childList: true });
  });
  await app.inbox.approve("pattern");

  const land = await app.inbox.waitFor("land");
  const runLines = await app.page.evaluate(() => (globalThis as unknown as { runLines: string[] }).runLines);
  expect(runLines, "from the pattern's approval to the landing the header says what is done").not.toContain(
    "Looking for patterns",
  );
  expect(runLines.join(", ")).toContain("Recording patterns");
  await scene("09-land");
  await app.page.setViewportSize({ width: 1024, height: 700 });
  const steps = app.page.getByRole("button", { name: "Steps of the run: Land, 7 of 7" });
  await steps.focus();
  await app.page.keyboard.press("Enter");
  await expect(app.page.getByRole("list", { name: "Steps of the run" }).getByRole("listitem")).toHaveText([
    ...["Plandone", "Contractsdone", "Workdone", "Integratedone", "Validatedone", "Learndone", "Landnow"],
  ]);
  await scene("09-steps-1024");
  await app.page.keyboard.press("Escape");
  await expect(steps).toBeFocused();
  await app.page.setViewportSize({ width: 1440, height: 900 });
  await accessible("landing");
  await land.getByRole("button", { name: "Land on main" }).click();
  await expect(app.page.getByRole("button", { name: "Start a run" })).toBeVisible({ timeout: 120_000 });
  await expect(app.budget).toBeVisible();
  await expect(tour).toContainText("The result is on main.");
  await expect(tour.getByRole("listitem").filter({ hasText: "done" })).toHaveCount(8);
  await scene("10-complete");
  await tour.getByRole("button", { name: "Leave the tour" }).click();
  await expect(tour).toHaveCount(0);

  // The repository has what the screen showed.
  const root = join(playground.state, "rehearsals", "profiles-1");
  const landed = await playground.jj(root, [
    "log",
    "--no-graph",
    "-r",
    "main",
    "-T",
    'conflict ++ " " ++ description',
  ]);
  expect(landed).toMatch(/^false /u);
  expect(landed).toContain("Hox-Metrics: {");
  expect(await playground.jj(root, ["bookmark", "list"])).toContain("hox-patterns");
  expect(await playground.jj(root, ["file", "list", "-r", "hox-patterns"])).toMatch(
    /^patterns\/\w+\/.+\.md$/mu,
  );
  expect(await playground.jj(root, ["log", "--no-graph", "-r", "divergent()", "-T", "change_id"])).toBe("");
  await playground.jj(root, ["new", "main"]);
  expect(await readFile(join(root, "src", "contracts", "profile.js"), "utf8")).toContain("user_id");
});
