import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Page } from "@playwright/test";
import { trustRepositoryConfig } from "../src-main/config/write-settings.ts";
import {
  carelessIntegration,
  oldApi,
  undoneByOthers,
} from "../src-main/engine/testing/careless-integration-script.ts";
import { config } from "../src-main/engine/testing/merge-request-script.ts";
import { phaseFiles, phaseScript } from "../src-main/engine/testing/phase-script.ts";
import { done, write } from "../src-main/engine/testing/three-agents-script.ts";
import {
  attemptOf,
  type Ballot,
  ballot,
  judgedFiles,
  judgedScript,
} from "../src-main/engine/testing/verdict-script.ts";
import type { Scene, Script, Seen } from "../src-main/model/stand-in/script.ts";
import { startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import type { Playground, TestHost } from "./host.ts";
import type { App } from "./pages/app.ts";
import { expect, test } from "./test.ts";

/** What one seat says in each round, and why; null: it says nothing for as long as it may. */
type SeatStatement = readonly [Ballot | null, string];

const seat = (...rounds: readonly SeatStatement[]): readonly Scene[] => [
  {
    name: "votes",
    prompt: "[VALIDATE]",
    steps: [
      (seen: Seen) => {
        const [vote, reason] = rounds[attemptOf(seen) - 1] ?? ["approve", "All of it is there."];
        return vote === null
          ? { calls: [{ tool: "run_command", input: { command: "sleep 100" } }] }
          : ballot(seen, vote, reason);
      },
    ],
  },
];

const approves: SeatStatement = ["approve", "The store keeps users and their mail."];
const all = ["[workflow]", 'panel = "on"', 'learning = "off"'];
const goal = "Keep users and their mail";

interface Judged {
  readonly start: (options: { folder: string }) => Promise<{ app: App; host: TestHost }>;
  readonly playground: Playground;
  readonly files: Readonly<Record<string, string>>;
  readonly script: Script;
}

/** A run up to what its plan asks, with seats that say what the test wants. */
async function withRun(
  { start, playground, files, script }: Judged,
  walk: (app: App, root: string) => Promise<void>,
): Promise<void> {
  const standIn = await startStandIn({ script });
  playground.answeredBy(standIn);
  try {
    const root = await playground.repository("project");
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    await trustRepositoryConfig(playground.state, root);
    await playground.jj(root, ["commit", "-m", "Begin"]);
    await playground.jj(root, ["bookmark", "set", "main", "-r", "@-"]);
    const { app } = await start({ folder: root });
    await app.page.getByRole("button", { name: "Start a run" }).click();
    await app.page.getByLabel("Goal").fill(goal);
    await app.page.getByRole("button", { name: "Start", exact: true }).click();
    await app.inbox.approve("plan");
    await walk(app, root);
  } finally {
    await standIn.close();
  }
}

/** A picture at the usual size in light, and one in the smallest window in dark. */
async function inBothThemes(page: Page, scene: (name: string) => Promise<void>, name: string): Promise<void> {
  await scene(name);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 1024, height: 700 });
  await scene(`${name}-dark`);
  const decisions = page.locator("#right-panel [data-decisions] > button");
  const tops = await decisions.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  expect(new Set(tops).size, "all decisions are in one row").toBeLessThanOrEqual(1);
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1440, height: 900 });
}

test("a rejection is repaired, rejected again, repaired with a user's word and approved, and every round's votes stay to be read", {
  tag: "@long",
}, async ({ start, playground, scene, accessible }) => {
  const script = judgedScript({
    "validator-1": seat(
      ["reject", "The goal names mail, and the store keeps users only."],
      ["reject", "Mail is kept, but nothing says whose it is: the address is missing."],
      approves,
    ),
    "validator-2": seat(["reject", "src/store.txt never mentions mail."], approves, approves),
    "validator-3": seat(
      ["reject", "No check looks at mail at all."],
      ["reject", "With two users their mail cannot be told apart."],
      approves,
    ),
    "validator-4": seat(["approve", "Nothing that I tried breaks the store."], approves, approves),
  });
  const files = judgedFiles(["validator_count = 4", "repair_rounds = 1"], ...all);
  await withRun({ start, playground, files, script }, async ({ page, inbox, inspector }) => {
    const card = await inbox.waitFor("votes");
    await expect(card.getByText("Rejected: 2 of 4 approved, 3 required", { exact: true })).toBeVisible();
    await expect(card.locator("[data-seat][data-vote=reject]")).toHaveCount(2);
    await expect(card.locator("[data-seat=validator-1]")).toContainText("the address is missing");
    const rounds = card.getByRole("list", { name: "Repairs" }).locator(":scope > li");
    await expect(rounds).toHaveCount(1);
    // All reasons of the first round, also of those who approved.
    await expect(rounds.first()).toContainText("1 of 4 approved");
    await expect(rounds.first().locator("[data-vote]")).toHaveCount(4);
    await expect(rounds.first().getByText("Nothing that I tried breaks the store.")).toBeVisible();
    await expect(rounds.first()).toContainText("Repaired: Mail is kept now.");
    await inBothThemes(page, scene, "70-rejected");
    await accessible("a verdict that failed, and the round before it");
    await card.getByRole("button", { name: "Open in a dialog" }).click();
    await expect(
      page
        .getByRole("dialog", { name: "Rejected: 2 of 4 approved, 3 required" })
        .getByText("No check looks at mail at all."),
    ).toBeVisible();
    await scene("70-rejected-large");
    await page.keyboard.press("Escape");
    await card.getByLabel("Instructions for the repair").fill("Keep the address too.");
    await page.keyboard.press("Control+Enter");

    await inbox.waitFor("land");
    await page.getByRole("tab", { name: "Inspector" }).click();
    const votes = inspector.region.getByRole("region", { name: "Validation" });
    await expect(votes).toContainText("4 approve, 3 needed");
    const before = votes.getByRole("list", { name: "Repairs" });
    await expect(before.locator(":scope > li")).toHaveCount(2);
    await expect(before.getByText("You said: Keep the address too.")).toBeVisible();
    await before.getByText("Round 1", { exact: true }).click();
    await expect(before.getByText("No check looks at mail at all.")).toBeVisible();
    await scene("71-rounds-in-the-overview");
    await page.keyboard.press("Alt+2");
    await expect(page.locator("[data-rounds='2']")).toHaveText("4 of 4 · round 3");
    await expect(
      page.getByRole("button", { name: /^validator-3, tests: approve.*Round 1: reject\. No check/su }),
    ).toBeVisible();
    await scene("72-rounds-on-the-canvas");
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Command palette" });
    await palette.getByRole("combobox").fill("report on keep users");
    await expect(palette.getByRole("option", { name: /^Report on/u })).toBeVisible();
    await page.keyboard.press("Enter");
    const report = page.getByRole("article", { name: "Report" });
    await expect(report.getByRole("region", { name: "Round 1" })).toContainText("No check looks at mail");
    await expect(report.getByRole("region", { name: "Round 2" })).toContainText("You said: Keep the address");
    await report.getByRole("region", { name: "Round 2" }).scrollIntoViewIfNeeded();
    await scene("73-rounds-in-the-report");
  });
});

test("a tie is a user's at once, and lands against it with a reason that stays on the change", {
  tag: "@long",
}, async ({ start, playground, scene }) => {
  const script = judgedScript({
    "validator-1": seat(approves),
    "validator-2": seat(["reject", "I do not see where an address is read again."]),
    "validator-3": seat(["abstain", "There is no test of it, and I cannot say what it should do."]),
    "validator-4": seat(["approve", "Nothing that I tried breaks the store."]),
  });
  const files = judgedFiles(["validator_count = 4", "repair_rounds = 2"], ...all);
  await withRun({ start, playground, files, script }, async (app, root) => {
    const { page, inbox, inspector } = app;
    const card = await inbox.waitFor("votes");
    await expect(card.getByText("No verdict: 2 of 3 approvals, 1 against", { exact: true })).toBeVisible();
    await expect(card.getByText("undecided", { exact: true })).toBeVisible();
    // Nobody has said what to repair, so nothing was; the seat that said neither was given to two others.
    await expect(card.getByRole("list", { name: "Repairs" })).toHaveCount(0);
    await expect(card.locator("[data-seat=validator-3]")).toContainText("3 judges in turn");
    await inBothThemes(page, scene, "74-tie");
    // Against the seats nothing lands without a reason.
    await card.getByRole("button", { name: "Land anyway…" }).click();
    const against = card.getByRole("button", { name: "Override and land" });
    await expect(against).toBeDisabled();
    await page.keyboard.press("Escape");
    await expect(card.getByRole("button", { name: /^Repair again/u })).toBeVisible();
    await card.getByRole("button", { name: "Land anyway…" }).click();
    await card.getByLabel("Why land it anyway?").fill("Addresses are read by the importer.");
    await inBothThemes(page, scene, "75-land-anyway");
    await against.click();

    const land = await inbox.waitFor("land");
    await expect(
      land.getByText("Overriding the reviewers. Reason: Addresses are read by the importer."),
    ).toBeVisible();
    await scene("76-overruled-lands");
    await land.getByRole("button", { name: /^Land on main/u }).click();
    await expect(page.getByRole("button", { name: "Start a run" })).toBeVisible({ timeout: 120_000 });
    const landed = await playground.jj(root, ["log", "--no-graph", "-r", "::main", "-T", "description"]);
    expect(landed).toContain("Hox-Overruled: Addresses are read by the importer.");
    // With votes, score and figures of everybody below each other it is the inspector that scrolls, and not the window.
    await page.getByRole("tab", { name: "Inspector" }).click();
    await expect(inspector.region.getByRole("region", { name: "Score" })).toBeAttached();
    await app.fits();
  });
});

test("a result without a task's work shows votes, checks and what is missing, and lands only with a reason", async ({
  start,
  playground,
  scene,
  accessible,
}) => {
  const files = {
    ...config(`[validation]\nvalidator_count = 4\n${all.join("\n")}\nintegrator = "on"\n`),
  };
  const script = carelessIntegration({
    "validator-3": seat(["reject", "No test looks at the API."]),
    "validator-*": seat(approves),
  });
  await withRun({ start, playground, files, script }, async (app, root) => {
    const { page, inbox, inspector } = app;
    const land = await inbox.waitFor("land");
    await expect(app.runLine).toContainText("Result ready for your review");
    const missing = land.getByRole("region", { name: "Missing work" });
    await expect(missing).toContainText("1 test and 4 of 4 lines missing; removed by integrator");
    await expect(missing).toContainText("routes users");
    const votes = land.getByRole("region", { name: "Votes" });
    await expect(votes).toContainText("3 of 4 approve");
    await expect(votes.locator("[data-seat]").first()).toHaveText(
      "validator-3 rejects: No test looks at the API.",
    );
    await expect(land).toContainText("1 check passed");
    await expect(land.getByRole("button", { name: /^Land on main/u })).toHaveCount(0);
    await inBothThemes(page, scene, "79-missing-work");
    await accessible("a result without a task's work");

    await missing.getByRole("button", { name: "Show what it wrote" }).click();
    await expect(inspector.region.getByRole("heading", { name: "Task of agent-2" })).toBeVisible();
    await page.keyboard.press("Alt+2");
    await page.getByRole("button", { name: /^validator-3, /u }).click();
    await expect(inspector.region.getByRole("region", { name: "Validation" })).toBeInViewport();
    await expect(inspector.region.getByText("No test looks at the API.")).toBeInViewport();
    await scene("79-votes-of-a-seat");

    await page.getByRole("tab", { name: /^Inbox/u }).click();
    await land.getByRole("button", { name: "Land anyway…" }).click();
    const without = land.getByRole("button", { name: "Land on main without it" });
    await expect(without).toBeDisabled();
    await land.getByLabel("Why land it without this work?").fill("The API comes with the next run.");
    await inBothThemes(page, scene, "79-land-without");
    await without.click();
    await expect(page.getByRole("button", { name: "Start a run" })).toBeVisible({ timeout: 120_000 });
    const landed = await playground.jj(root, ["log", "--no-graph", "-r", "::main", "-T", "description"]);
    expect(landed).toContain(
      "Hox-Overruled: Lands without work of agent-2 (1 test and 4 of 4 lines missing): The API comes with the next run.",
    );
  });
});

test("the card and the report name who removed a task's lines, and who restored what it deleted", async ({
  start,
  playground,
  scene,
  accessible,
}) => {
  const files = {
    ...config(`[validation]\nvalidator_count = 4\n${all.join("\n")}\nreviews = "on"\nintegrator = "on"\n`),
    "src/old.ts": oldApi,
  };
  await withRun({ start, playground, files, script: undoneByOthers() }, async (app, root) => {
    const { page, inbox } = app;
    const question = await inbox.waitFor("align-request");
    const merged = 'description(glob:"Task of agent-1*") & description(substring:"Hox-Status: done")';
    const log = ["log", "--ignore-working-copy", "--no-graph", "-r", merged, "-T", '"merged"'];
    await expect.poll(() => playground.jj(root, log), { timeout: 60_000 }).toBe("merged");
    await question.getByRole("button", { name: "Go on", exact: true }).click();

    const land = await inbox.waitFor("land");
    const missing = land.getByRole("region", { name: "Missing work" });
    await expect(missing).toContainText(
      "2 of 2 lines missing, 2 of 2 deleted lines restored; removed by agent-2, restored by integrator",
    );
    await expect(missing.getByRole("listitem").filter({ hasText: "old.ts" }).last()).toContainText(
      "2 of 2 deleted lines",
    );
    await inBothThemes(page, scene, "79-who-dropped-work");
    await page.emulateMedia({ colorScheme: "dark" });
    await scene("79-who-dropped-work-dark-large");
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1024, height: 700 });
    await scene("79-who-dropped-work-small");
    await page.setViewportSize({ width: 1440, height: 900 });
    await accessible("a result with restored lines");
    await land.getByRole("button", { name: "Land anyway…" }).click();
    await land.getByLabel("Why land it without this work?").fill("The store replaces both.");
    await land.getByRole("button", { name: "Land on main without it" }).click();
    await expect(page.getByRole("button", { name: "Start a run" })).toBeVisible({ timeout: 120_000 });

    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Command palette" });
    await palette.getByRole("combobox").fill("report on keep users");
    await expect(palette.getByRole("option", { name: /^Report on/u })).toBeVisible();
    await page.keyboard.press("Enter");
    const told = page
      .getByRole("article", { name: "Report" })
      .getByRole("region", { name: "Missing from the result" });
    await expect(told).toContainText("removed by agent-2, restored by integrator");
    await expect(told).toContainText("Landed without it. Reason: The store replaces both.");
    await told.scrollIntoViewIfNeeded();
    await inBothThemes(page, scene, "79-missing-in-the-report");
  });
});

test("seats that say nothing in time leave no verdict: the card says who and for how long, and Stop ends the run", {
  tag: "@long",
}, async ({ start, playground, scene }) => {
  const script = judgedScript({
    "validator-1": seat(approves),
    "validator-2": seat([null, ""]),
    "validator-3": seat(approves),
    "validator-4": seat([null, ""]),
  });
  const files = judgedFiles(["validator_count = 4", "repair_rounds = 2", "seat_timeout_seconds = 2"], ...all);
  await withRun({ start, playground, files, script }, async ({ page, inbox }, root) => {
    const card = await inbox.waitFor("votes");
    await expect(
      card.getByText("No verdict: 2 of 3 approvals, and 2 seats timed out", { exact: true }),
    ).toBeVisible();
    for (const silent of ["validator-2", "validator-4"]) {
      const timedOutSeat = card.locator(`[data-seat=${silent}][data-vote=timed-out]`);
      await expect(timedOutSeat).toContainText("timed out");
      await expect(timedOutSeat).toContainText("3 judges in turn");
      await expect(timedOutSeat).toContainText("No vote within 2 seconds.");
    }
    await inBothThemes(page, scene, "77-timed-out");

    await card.getByRole("button", { name: /^Stop/u }).click();
    const sure = page.getByRole("dialog", { name: "Stop the run?" });
    await expect(sure).toContainText("It ends as rejected and nothing lands.");
    await sure.getByRole("button", { name: "Cancel" }).click();
    await expect(card).toBeVisible();
    await card.getByRole("button", { name: /^Stop/u }).click();
    await sure.getByRole("button", { name: "Stop the run" }).click();
    await expect(card).toHaveCount(0);
    await expect(page.getByRole("button", { name: "Start a run" })).toBeVisible({ timeout: 120_000 });
    await scene("78-stopped-as-rejected");
    expect(await playground.jj(root, ["file", "list", "-r", "main"])).not.toContain("src/store.txt");
    const kept = await playground.jj(root, ["log", "--no-graph", "-r", "~::main", "-T", "description"]);
    expect(kept).toContain("Write the store");
  });
});

test("a check that fails vetoes the result: its output is on the card, no seat is asked before it is repaired", {
  tag: "@long",
}, async ({ start, playground, scene, accessible }) => {
  const check = [
    "test -e src/index.txt || exit 0",
    "test -e src/cache.tmp || test -e src/cache.txt && exit 0",
    'echo "index: reading src/index.txt"',
    'echo "index: cache of the store not found"',
    'echo "  looked for src/cache.tmp, src/cache.txt"',
    "exit 1",
  ].join("\n");
  const integrator: readonly Scene[] = [
    {
      name: "keeps the cache",
      prompt: "Commit the cache.",
      steps: [write("src/cache.txt", "kept\n"), done("The cache is part of the result now.")],
    },
    {
      name: "looks and changes nothing that helps",
      prompt: "Validators rejected the result",
      steps: [write("src/notes.txt", "the index reads the cache\n"), done("The notes say what it reads.")],
    },
    {
      name: "brings together",
      steps: [
        write("src/index.txt", "the store\n"),
        { calls: [{ tool: "run_command", input: { command: "echo kept > src/cache.tmp" } }] },
        done("All is together."),
      ],
    },
  ];
  const files = {
    ...judgedFiles(["validator_count = 4", "repair_rounds = 1"], ...all, 'integrator = "on"'),
    "check.sh": `${check}\n`,
  };
  const script = judgedScript(
    Object.fromEntries([1, 2, 3, 4].map((at) => [`validator-${at}`, seat(approves, approves, approves)])),
    integrator,
  );
  await withRun({ start, playground, files, script }, async ({ page, inbox }) => {
    const card = await inbox.waitFor("votes");
    await expect(card.getByText("A check fails on the result", { exact: true })).toBeVisible();
    await expect(card.getByText("index: cache of the store not found").first()).toBeVisible();
    await expect(card.locator("[data-seat]")).toHaveCount(0);
    const rounds = card.getByRole("list", { name: "Repairs" }).locator(":scope > li");
    await expect(rounds).toHaveCount(1);
    await expect(rounds.first()).toContainText("index: cache of the store not found");
    await expect(rounds.first()).toContainText("Repaired: The notes say what it reads.");
    await inBothThemes(page, scene, "79-vetoed");
    await accessible("a verdict that a check vetoed");
    await card.getByLabel("Instructions for the repair").fill("Commit the cache.");
    await card.getByRole("button", { name: /^Repair again/u }).click();
    await inbox.waitFor("land");
  });
});

const repairsPhase = (prompt: string, words: string): Scene => ({
  name: words,
  prompt,
  steps: [write("src/together.txt", `${words}\n`), done(words)],
});

test("seats that reject a phase are answered with a repair, and then with the next phase all the same", {
  tag: "@long",
}, async ({ start, playground, scene }) => {
  const files = phaseFiles("repair_rounds = 1");
  const config = (files[".hox/config.toml"] ?? "")
    .replace('phases = "checks"', 'phases = "seats"')
    .replace("validator_count = 1", "validator_count = 4")
    .replace("[workflow]", '[workflow]\npanel = "on"');
  const script = phaseScript(
    {
      ...repairsPhase("Name the field.", "The field is called user_id on both sides."),
      steps: [
        { calls: [{ tool: "read_file", input: { path: "src/together.txt" } }] },
        write("src/together.txt", "user_id\n"),
        done("The field is called user_id on both sides."),
      ],
    },
    repairsPhase("did not approve it", "Store and API say together what a user is."),
  );
  const of = (at: number, ...rounds: readonly SeatStatement[]) =>
    [`validator-${at}-phase-1`, seat(...rounds)] as const;
  const one: SeatStatement = ["approve", "Store and API are there, each as its task says."];
  const routes = Object.fromEntries([
    of(
      1,
      ["reject", "The API is there, and nothing says what it takes from the store."],
      ["reject", "They say that they belong together, and not by which field."],
      ["reject", "user_id is named, and the store does not keep one yet."],
    ),
    of(2, one, one, one),
    of(
      3,
      ["reject", "Nothing checks the API against the store."],
      ["reject", "A check on a word in a file says nothing of the field."],
      ["reject", "There is still no test that reads a user by its field."],
    ),
    of(4, one, one, one),
  ]);
  await withRun(
    {
      start,
      playground,
      files: { ...files, ".hox/config.toml": config, "check.sh": "! grep -rn BROKEN src\n" },
      script: { ...script, routes: { ...routes, ...script.routes } },
    },
    async ({ page, graph, inbox, inspector }) => {
      const card = await inbox.waitFor("votes");
      await expect(
        card.getByText("Phase 1 is not approved. Rejected: 2 of 4 approved, 3 required", { exact: true }),
      ).toBeVisible();
      await expect(card.locator("[data-seat][data-vote=reject]")).toHaveCount(2);
      const rounds = card.getByRole("list", { name: "Repairs" }).locator(":scope > li");
      await expect(rounds).toHaveCount(1);
      await expect(rounds.first()).toContainText("2 of 4 approved");
      await expect(rounds.first()).toContainText("Repaired: Store and API say together what a user is.");
      await inBothThemes(page, scene, "80-phase-rejected");
      await card.getByLabel("Instructions for the repair").fill("Name the field.");
      await page.keyboard.press("Control+Enter");

      const again = inbox.card("votes").filter({ hasText: "user_id is named" });
      await expect(again).toBeVisible({ timeout: 120_000 });
      await expect(rounds).toHaveCount(2);
      await expect(again.getByText("You said: Name the field.")).toBeVisible();
      await again.getByRole("button", { name: "Continue…" }).click();
      await again.getByLabel("Why start the next phase anyway?").fill("The view brings the test.");
      await scene("81-next-phase-anyway");
      await again.getByRole("button", { name: "Start the next phase" }).click();
      await expect(again).toHaveCount(0);
      await page.getByRole("tab", { name: "Inspector" }).click();
      const phase = inspector.region.getByRole("region", { name: "Phase 1 of O-A-1" });
      await expect(phase.locator("[data-overruled]")).toContainText("The view brings the test.");
      await expect(phase.getByRole("list", { name: "Repairs" }).locator(":scope > li")).toHaveCount(2);
      // The next phase has begun.
      await expect(
        graph.grid.getByRole("row", { name: /^Write the view, task, (?:in progress|in review|done)/u }),
      ).toBeVisible();
      await scene("82-votes-on-a-phase");
    },
  );
});
