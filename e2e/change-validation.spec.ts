import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { toolPath } from "../src-main/config/tools.ts";
import type { Scene, Seen } from "../src-main/model/stand-in/script.ts";
import { startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import { expect, test } from "./test.ts";

const run = promisify(execFile);
const entry = fileURLToPath(new URL("../src-main/cli.ts", import.meta.url));

const queue = `const timeoutMs = 5_000;

export async function drain(queue, most) {
  if (most <= 0) throw new RangeError("most");
  const all = [];
  await queue.open();
  while (all.length < most) {
    all.push(await queue.next({ timeout: timeoutMs }));
  }
  return all;
}
`;

const judge = (vote: "approve" | "reject", reason: string): Scene => ({
  name: "judges",
  prompt: "[VALIDATE]",
  steps: [
    (seen: Seen) => {
      const commit = /^Commit: ([0-9a-f]{40})$/mu.exec(seen.prompt)?.[1] ?? "";
      return { calls: [{ tool: "cast_vote", input: { vote, commit, reason } }] };
    },
  ],
});

test("a change is validated from the palette: votes arrive, and the track record of the panel is shown with the verdict", {
  tag: "@long",
}, async ({ start, playground, scene, accessible }) => {
  const standIn = await startStandIn({
    script: {
      name: "judged",
      routes: {
        "validator-1": [judge("approve", "Every word of its description is there, and wired in.")],
        "validator-2": [
          judge("approve", "Each hunk is needed: a limit, a loop that stops at it, and a timeout."),
        ],
        "validator-3": [
          judge("reject", "No test comes with it: an empty queue and a limit of nothing are never tried."),
        ],
      },
    },
  });
  playground.answeredBy(standIn);
  try {
    const root = await playground.repository("project");
    await mkdir(join(root, "src"));
    await playground.configure(
      root,
      '[backpressure]\nfast_checks = []\nslow_checks = []\npreflight = "off"\n\n[validation]\nvalidator_count = 3\n',
    );
    await playground.jj(root, ["commit", "-m", "settings"]);
    await writeFile(join(root, "src", "queue.js"), queue);
    await playground.jj(root, ["commit", "-m", "Drain a queue\n\nAt most so many, and never less than one."]);
    await playground.jj(root, ["bookmark", "set", "main", "-r", "@-"]);
    const { app } = await start({ folder: root });
    const { page, inspector } = app;
    const palette = page.getByRole("dialog", { name: "Command palette" });
    await app.graph.row("Drain a queue").click();
    await page.keyboard.press("Control+k");
    await palette.getByRole("combobox").fill("Validate the selected change");
    await expect(palette.getByRole("option").first()).toBeVisible();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Validate this change" });
    standIn.fail({ kind: "stall", role: "validator-3" });
    await dialog.getByRole("button", { name: "Validate" }).click();
    await expect(dialog.locator("[data-vote=approve]")).toHaveCount(2);
    await expect(dialog.locator("[data-vote=pending]")).toHaveCount(1);
    await scene("97-votes-arrive");
    await dialog.getByRole("button", { name: "Cancel the validation" }).click();
    await expect(dialog.getByRole("button", { name: "Validate again" })).toBeVisible();
    await dialog.getByRole("button", { name: "Validate again" }).click();
    await expect(dialog.getByText("approved", { exact: true })).toBeVisible();
    await expect(dialog.locator("[data-vote=pending]")).toHaveCount(0);
    await expect(dialog.getByText("This panel has no track record here yet.")).toBeVisible();
    await expect(dialog.getByRole("button", { name: "Validate again" })).toBeVisible();
    await scene("98-verdict-and-track-record");
    await accessible("a change that was validated");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 1024, height: 700 });
    await scene("99-verdict-and-track-record-dark");
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);

    // It is shown on the change, and void for another commit of it.
    await inspector.show("Details");
    const kept = inspector.region.getByRole("region", { name: "Validation" });
    await expect(kept).toContainText("approved");
    await scene("97-verdict-on-a-change");
    // A terminal asks the host that works here.
    const result = await run(toolPath("node"), [entry, "validate", "main", "--goal", "Drain it"], {
      cwd: root,
      env: { ...playground.environment, npm_lifecycle_event: "" },
    });
    expect(result.stdout).toContain("approved: ");
    await playground.jj(root, ["describe", "--ignore-immutable", "-r", "main", "-m", "Drain a queue, later"]);
    await expect(kept).toContainText("void: the change has a new commit");
  } finally {
    await standIn.close();
  }
});
