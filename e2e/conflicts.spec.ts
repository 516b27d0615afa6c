import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Step } from "../src-main/model/stand-in/script.ts";
import { type StandIn, startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import { expect, test } from "./test.ts";

let standIn: StandIn | undefined;
test.afterEach(() => standIn?.close());

const call = (tool: string, input: Record<string, unknown>): Step => ({ calls: [{ tool, input }] });
const done = (summary: string): Step => call("report_done", { summary });

/** Whoever begins on a conflict settles it before anybody works above. */
const settles = (content: string) =>
  startStandIn({
    script: {
      name: "settles",
      routes: {
        "O-A-1": [
          {
            name: "settles",
            prompt: "[EVENT contracts in conflict]",
            steps: [
              call("read_file", { path: "lines.js" }),
              call("write_file", { path: "lines.js", content }),
              done("Settled."),
            ],
          },
          { name: "hears", steps: [done("As you say.")] },
        ],
        "agent-1": [{ name: "works", steps: [done("It is settled.")] }],
      },
    },
  });

test("a conflict shows its sides and is settled in place by choice, by hand, by keys and by an agent, and can be undone", async ({
  start,
  playground,
  scene,
  accessible,
}) => {
  const root = await playground.repository("project", ["lay the foundation"]);
  const config = '[backpressure]\nfast_checks = []\nslow_checks = []\npreflight = "off"\n';
  await playground.configure(root, config);
  const lines = (changed: Readonly<Record<number, string>>) =>
    Array.from({ length: 40 }, (_, at) => `${changed[at] ?? `const line${at} = ${at};`}\n`).join("");
  const snapshotted = async (path: string, content: string | Uint8Array) => {
    await writeFile(join(root, path), content);
    await playground.jj(root, ["util", "snapshot"]);
  };
  const commit = async (base: string, words: string, path: string, text: string) => {
    await playground.jj(root, ["new", base, "-m", words]);
    await snapshotted(path, text);
  };
  await commit("@", "begin with lines", "lines.js", lines({}));
  const task = (title: string, agent: string) =>
    `${title}\n\nHox-Kind: task\nHox-Status: done\nHox-Orchestrator: O-A-1\nHox-Agent: ${agent}`;
  await commit(
    "subject(exact:'begin with lines')",
    task("Call it userId", "agent-1"),
    "lines.js",
    lines({ 3: "const id = userId;", 30: "export { userId };" }),
  );
  await snapshotted("logo.bin", new Uint8Array([0, 1, 2]));
  await commit(
    "subject(exact:'begin with lines')",
    task("Call it user_id", "agent-2"),
    "lines.js",
    lines({ 3: "const id = user_id;", 30: "export { user_id };" }),
  );
  await snapshotted("logo.bin", new Uint8Array([0, 1, 2, 3]));
  await playground.jj(root, [
    "new",
    "subject(exact:'Call it userId')",
    "subject(exact:'Call it user_id')",
    "-m",
    "bring both together",
  ]);
  standIn = await settles(lines({ 3: "const id = userId;", 30: "export { userId };" }));
  playground.answeredBy(standIn);
  const { app } = await start({ folder: root });
  const { page } = app;
  await app.graph.row("bring both together").dblclick();
  await app.inspector.show("Details");
  await app.inspector.region.getByRole("button", { name: /^lines\.js/u }).click();

  const conflict = page.getByRole("region", { name: "Conflict" });
  const sides = conflict.getByRole("region", { name: "Sides of lines.js" });
  await expect(sides.getByRole("listitem")).toHaveCount(3);
  await expect(sides).toContainText("Call it userId");
  await expect(sides).toContainText("agent-2");
  const result = conflict.getByRole("textbox", { name: "Result" });
  await expect(result).toBeFocused();
  const save = conflict.getByRole("button", { name: /^Save/u });
  await expect(save).toBeDisabled();
  await expect(conflict.getByRole("status")).toHaveText("2 of 2 conflicts unresolved");
  await scene("90-conflict-light");
  await accessible("a conflict");
  await conflict
    .getByRole("group", { name: "Conflict 1 of 2" })
    .getByRole("button", { name: "agent-1" })
    .click();
  await expect(conflict.getByRole("status")).toHaveText("1 of 2 conflicts unresolved");
  await conflict.getByRole("button", { name: "Compare with agent-2" }).click();
  await expect(conflict.getByRole("textbox", { name: "Side" })).toContainText("const id = user_id;");

  // What is written is kept when one looks at something else in between.
  await page.keyboard.press("Escape");
  await expect(conflict).toHaveCount(0);
  await app.inspector.region.getByRole("button", { name: "conflict", exact: true }).click();
  await conflict.getByRole("button", { name: /^lines\.js/u }).click();
  await expect(conflict.getByRole("status")).toHaveText("1 of 2 conflicts unresolved");
  await expect(result).toBeFocused();
  await page.keyboard.press("Alt+ArrowDown");
  await page.keyboard.press("Shift+End");
  await page.keyboard.type("export { id as userId };");
  await expect(conflict.getByRole("status")).toHaveText("all conflicts resolved");
  await page.setViewportSize({ width: 1024, height: 700 });
  await page.emulateMedia({ colorScheme: "dark" });
  await scene("91-conflict-dark-small");
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(app.notices).toContainText("Resolved lines.js.");
  expect(await playground.jj(root, ["file", "show", "-r", "@", "lines.js"])).toBe(
    lines({ 3: "const id = userId;", 30: "export { id as userId };" }),
  );

  // The other file is binary: a side is taken whole.
  const logo = conflict.getByRole("region", { name: "Sides of logo.bin" });
  await expect(conflict).toContainText("This file is binary");
  await expect(logo).toContainText("4 bytes");
  await logo.getByRole("button", { name: "Take all of agent-2" }).click();
  await expect(conflict).toContainText("All conflicts of this change are resolved");
  expect(await playground.jj(root, ["log", "--no-graph", "-r", "conflicts()", "-T", "change_id"])).toBe("");
  const settled = app.notices.getByRole("group").filter({ hasText: "Resolved logo.bin." });
  await settled.getByRole("button", { name: "Undo" }).click();
  await expect(logo).toBeVisible();

  // The same by keys, and done again: the history is that of all edits.
  await page.keyboard.press("ControlOrMeta+Shift+z");
  await expect(app.notices).toContainText("Redone: the conflict in logo.bin.");
  await expect(conflict).toContainText("All conflicts of this change are resolved");
  // What the page was opened from is gone with the conflict: the keys go on in the graph.
  await page.keyboard.press("Escape");
  await expect(app.graph.grid).toBeFocused();
  for (const file of ["logo.bin", "lines.js"]) {
    await page.keyboard.press("ControlOrMeta+z");
    await expect(app.notices).toContainText(`Undone: the conflict in ${file}.`);
  }
  await app.inspector.region.getByRole("button", { name: /^lines\.js/u }).click();
  await expect(conflict.getByRole("button", { name: /^lines\.js/u })).toBeVisible();

  // Without a run an agent begins with it, and hears at once what is said to it there.
  await conflict.getByRole("button", { name: /^logo\.bin/u }).click();
  await logo
    .getByRole("button", { name: /^Take all/u })
    .first()
    .click();
  await expect(sides).toBeVisible();
  const begin = conflict.getByRole("form", { name: "Assign to a new agent" });
  const words = begin.getByRole("textbox", { name: "How an agent should resolve it" });
  await words.fill("Say userId.");
  await scene("91b-hand-over-without-a-run");
  // Escape leaves the field with its words, and only the next one closes the page.
  await page.keyboard.press("Escape");
  await expect(conflict).toBeFocused();
  await expect(words).toHaveValue("Say userId.");
  await page.keyboard.press("Escape");
  await expect(conflict).toHaveCount(0);
  await app.inspector.region.getByRole("button", { name: /^lines\.js/u }).click();
  await expect(words, "what was not sent is kept").toHaveValue("Say userId.");
  await words.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Start a run" });
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(words, "where it was asked for from").toBeFocused();
  await page.keyboard.press("Enter");
  const goal = "Resolve the conflict in lines.js of “bring both together”. Say userId.";
  await expect(dialog.getByRole("textbox", { name: "Goal" })).toHaveValue(goal);
  await expect(dialog.getByRole("button", { name: "Quick: one agent" })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  const release = standIn.hold(({ role }) => role === "O-A-1");
  await dialog.getByRole("button", { name: "Start", exact: true }).click();
  await expect.poll(() => standIn?.requests().length).toBeGreaterThan(0);
  await expect(dialog).toHaveCount(0);
  await conflict.getByRole("button", { name: "Back to the graph" }).click();
  await expect(conflict).toHaveCount(0);
  await app.graph.row("Begin: Resolve the conflict in lines.js").dblclick();
  await app.inspector.region.getByRole("button", { name: "conflict", exact: true }).click();
  const hand = conflict.getByRole("form", { name: "Assign to O-A-1" });
  await hand.getByRole("textbox", { name: "How O-A-1 should resolve it" }).fill("Both places say userId.");
  await scene("91c-hand-over");
  await accessible("a conflict that can be handed over");
  await page.keyboard.press("Enter");
  await expect(app.notices).toContainText("O-A-1 was asked to resolve lines.js.");
  release();
  await expect(app.inspector.region.getByRole("button", { name: "conflict", exact: true })).toHaveCount(0);
  const requests = standIn.requests().map(({ body }) => JSON.stringify(body));
  expect(requests.some((one) => /\[NOTE\] The user.*lines\.js\. Both places say userId\./u.test(one))).toBe(
    true,
  );
});
