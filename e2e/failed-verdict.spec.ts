import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  attemptOf,
  type Ballot,
  ballot,
  judgedFiles,
  judgedScript,
} from "../src-main/engine/testing/verdict-script.ts";
import type { Seen } from "../src-main/model/stand-in/script.ts";
import { startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import { expect, test } from "./test.ts";

/** Two rounds against it, then as many for it as against it. */
const votes = [
  { ballots: ["reject", "reject", "reject"], reason: "Mail gets lost: the store keeps users only." },
  { ballots: ["reject", "reject", "reject"], reason: "Mail is kept, but its address is not." },
  { ballots: ["approve", "approve", "reject"], reason: "I do not see where an address is read again." },
] satisfies { ballots: Ballot[]; reason: string }[];

const judge = (seat: number) => [
  {
    name: "judges",
    prompt: "[VALIDATE]",
    steps: [
      (seen: Seen) => {
        const round = votes[attemptOf(seen) - 1];
        const vote = round?.ballots[seat - 1] ?? (attemptOf(seen) < 3 ? "approve" : "reject");
        return ballot(
          seen,
          vote,
          vote === "approve" ? "It keeps what was asked for." : (round?.reason ?? ""),
        );
      },
    ],
  },
];

test("a rejected result is repaired, rejected again, repaired with a person's word, judged to a tie, and lands with a reason that stays on the change", async ({
  start,
  playground,
  scene,
}) => {
  const standIn = await startStandIn({
    script: judgedScript(Object.fromEntries([1, 2, 3, 4].map((seat) => [`validator-${seat}`, judge(seat)]))),
  });
  Object.assign(playground.environment, {
    ANTHROPIC_API_KEY: standIn.apiKey,
    ANTHROPIC_BASE_URL: standIn.url,
  });
  try {
    const root = await playground.repository("project");
    for (const [path, text] of Object.entries(
      judgedFiles(
        ["validator_count = 4", "repair_rounds = 1"],
        "[ceremony]",
        'seats = "all"',
        'learning = "never"',
      ),
    )) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    await playground.jj(root, ["commit", "-m", "Begin"]);
    await playground.jj(root, ["bookmark", "set", "main", "-r", "@-"]);
    const { app } = await start({ folder: root });
    const { page, inbox } = app;
    await page.getByRole("button", { name: "Start a run" }).click();
    await page.getByLabel("Goal").fill("Keep users and their mail");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await inbox.approve("plan");

    const rejected = await inbox.waitFor("votes");
    await expect(rejected.getByText("Rejected: 3 against 1", { exact: true })).toBeVisible();
    const rounds = rejected.getByRole("list", { name: "What was repaired" }).locator(":scope > li");
    await expect(rounds).toHaveCount(1);
    await expect(rounds.first()).toContainText("Mail gets lost");
    await expect(rounds.first()).toContainText("Mail is kept now.");
    await expect(rejected.locator("[data-vote=reject]")).toHaveCount(3);
    await scene("70-rejected");
    await rejected.getByLabel("A word to whoever repairs it").fill("Keep the address too.");
    await page.keyboard.press("Control+Enter");

    const tied = inbox.card("votes").filter({ hasText: "Rejected: 2 against 2" });
    await expect(tied).toBeVisible({ timeout: 120_000 });
    await inbox.waitFor("votes");
    await expect(tied.getByText("You said: Keep the address too.")).toBeVisible();
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 1024, height: 700 });
    await scene("71-tie-dark");
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1440, height: 900 });
    // Against the seats nothing lands without a reason.
    await tied.getByRole("button", { name: "Land anyway…" }).click();
    const against = tied.getByRole("button", { name: "Land against the verdict" });
    await expect(against).toBeDisabled();
    await page.keyboard.press("Escape");
    await expect(tied.getByRole("button", { name: /^Repair again/u })).toBeVisible();
    await tied.getByRole("button", { name: "Land anyway…" }).click();
    await tied.getByLabel("Why does it land all the same?").fill("Addresses are read by the importer.");
    await scene("72-land-anyway");
    await against.click();

    const land = await inbox.waitFor("land");
    await expect(
      land.getByText("Against the verdict of its seats, because you said: Addresses"),
    ).toBeVisible();
    await scene("73-overruled-lands");
    await land.getByRole("button", { name: /^Land on main/u }).click();
    await expect(page.getByRole("button", { name: "Start a run" })).toBeVisible({ timeout: 120_000 });
    const landed = await playground.jj(root, ["log", "--no-graph", "-r", "::main", "-T", "description"]);
    expect(landed).toContain("Hox-Overruled: Addresses are read by the importer.");
  } finally {
    await standIn.close();
  }
});
