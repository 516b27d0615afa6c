import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toolPath } from "../src-main/config/tools.ts";
import type { Playground } from "./host.ts";
import { expect, test } from "./test.ts";

/** A jj that waits while it is told to: what a host prepares with it takes as long as the test looks at it. */
async function slowJj({ folder, environment }: Playground) {
  const [jj, waits] = [join(folder, "jj"), join(folder, "waits")];
  const program = `#!/bin/sh\nwhile [ -e ${waits} ]; do sleep 0.05; done\nexec ${toolPath("jj")} "$@"\n`;
  await writeFile(jj, program);
  await chmod(jj, 0o755);
  environment.HOX_JJ = jj;
  return { wait: () => writeFile(waits, ""), goOn: () => rm(waits) };
}

test("a Git folder at start becomes a colocated jj repository only after a confirmation", async ({
  start,
  playground,
  scene,
}) => {
  const folder = join(playground.folder, "with-git");
  await playground.git(folder, ["init", "--quiet", "-b", "main"]);
  await writeFile(join(folder, "kept.txt"), "kept\n");
  await playground.git(folder, ["add", "."]);
  await playground.git(folder, ["commit", "--quiet", "-m", "made with git"]);
  const { app } = await start({ folder });
  const dialog = app.page.getByRole("dialog").filter({ hasText: "Use jj alongside Git" });
  await expect(dialog).toContainText(folder);
  await scene("50-adopt-git");
  expect(existsSync(join(folder, ".jj"))).toBe(false);
  await dialog.getByRole("button", { name: "Set up jj alongside Git" }).click();
  await expect(app.graph.row("made with git")).toBeVisible();
  await expect(app.graph.row("made with git")).toContainText("main");
  await app.page.reload();
  await expect(app.graph.row("made with git")).toBeVisible();
  await expect(dialog, "what was answered is not asked again").toHaveCount(0);
  expect(await readFile(join(folder, "kept.txt"), "utf8")).toBe("kept\n");
  expect(await playground.git(folder, ["log", "--format=%s"])).toContain("made with git");

  // The base of a run is shown before it starts, also without a branch.
  const begin = app.page.getByRole("button", { name: "Start a run" });
  await begin.click();
  await expect(app.dialog("Start a run")).toContainText("Builds and lands on main, your current branch.");
  await app.page.keyboard.press("Escape");
  await playground.git(folder, ["checkout", "--quiet", "--detach"]);
  await writeFile(join(folder, "beside.txt"), "beside\n");
  await playground.git(folder, ["add", "."]);
  await playground.git(folder, ["commit", "--quiet", "-m", "beside main"]);
  await begin.click();
  await expect(app.dialog("Start a run")).toContainText("You are on “beside main”, which is not in main.");
  await scene("53-start-beside-main");
  await app.page.getByText("current change", { exact: true }).click();
  await expect(app.page.getByRole("textbox", { name: "Build on" })).toHaveValue(/^[k-z]{12}$/u);
});

test("each kind of folder that cannot be opened has its own error with what to do", async ({
  start,
  playground,
  scene,
}) => {
  const bare = join(playground.folder, "bare.git");
  await playground.git(bare, ["init", "--quiet", "--bare", "."]);
  const broken = join(playground.folder, "broken");
  await mkdir(join(broken, ".jj"), { recursive: true });
  const { app } = await start();
  for (const [path, words] of [
    [join(playground.folder, "nowhere"), /no folder .+\/nowhere.+choose another/iu],
    [bare, /bare Git repository.+\w/iu],
    [broken, /\.jj|jj repository|broken/u],
  ] as const) {
    await app.openFolder(path);
    await expect(app.folderProblem).toContainText(words);
    if (path === bare) await scene("51-folder-refused");
    await app.page.keyboard.press("Escape");
    await expect(app.dialog("Open a repository")).toHaveCount(0);
  }
  expect(existsSync(join(broken, ".jj", "repo"))).toBe(false);
  await expect(app.welcome).toBeVisible();
});

test("recent repositories are offered at the next start", async ({ start, playground }) => {
  const root = await playground.repository("project", ["mine"]);
  const first = await start({ folder: root });
  await expect(first.app.graph.row("mine")).toBeVisible();
  await first.host.stop();
  const { app } = await start();
  await app.page.getByRole("button", { name: /^project/u }).click();
  await expect(app.graph.row("mine")).toBeVisible();
});

test("a second host on the same repository says that it only looks, also after a reload", async ({
  start,
  playground,
}) => {
  const root = await playground.repository("project", ["mine"]);
  const first = await start({ folder: root });
  await expect(first.app.graph.row("mine")).toBeVisible();
  const { app } = await start({ folder: root });
  for (const again of [false, true]) {
    if (again) await app.page.reload();
    await expect(app.graph.row("mine")).toBeVisible();
    await expect(
      app.page.getByRole("banner").getByText("Read-only: open in another Hox window"),
    ).toBeVisible();
    await expect(app.page.getByRole("button", { name: "Start a run" })).toHaveCount(0);
  }
});

test("a rehearsal that is being prepared is cancelled: nothing of it is left, and the focus is back where it was begun", async ({
  start,
  playground,
  scene,
  accessible,
}) => {
  const jj = await slowJj(playground);
  const { app } = await start();
  const { page } = app;
  await expect(app.rehearsals).toHaveCount(3);
  for (const rehearsal of await app.rehearsals.all())
    await expect(rehearsal).toContainText(/About [\d½]+ (seconds|minutes?) plus your decisions/u);
  await accessible("the welcome with rehearsals");
  await app.rehearsals.nth(1).focus();
  await jj.wait();
  await page.keyboard.press("Enter");
  const cancel = page.getByRole("button", { name: /^Cancel “Two ways/u });
  await expect(cancel).toBeFocused();
  await page.keyboard.press("Enter");
  await jj.goOn();
  await expect(cancel).toHaveCount(0);
  await expect(app.rehearsals.nth(1)).toBeFocused();
  for (const folder of ["rehearsals", "repositories"]) {
    const path = join(playground.state, folder);
    expect(existsSync(path) ? await readdir(path) : []).toEqual([]);
  }
  await expect(page.getByRole("region", { name: "Recent" })).toHaveCount(0);
  await scene("54-rehearsal-cancelled");
  await page.setViewportSize({ width: 800, height: 600 });
  await page.emulateMedia({ colorScheme: "dark" });
  await scene("54-rehearsal-cancelled-800-dark");

  // It begins as if nothing had been.
  await jj.wait();
  await page.keyboard.press("Enter");
  await expect(cancel).toBeVisible();
  await scene("54-rehearsal-prepared-800-dark");
  await jj.goOn();
  await app.graph.shown();
});

test("a rehearsal started from the palette shows its progress and can be cancelled, also while a repository is open", async ({
  start,
  playground,
  scene,
}) => {
  const root = await playground.repository("project", ["mine"]);
  const jj = await slowJj(playground);
  const { app } = await start();
  const { page } = app;
  const begin = async (): Promise<void> => {
    await page.keyboard.press("ControlOrMeta+k");
    await app.dialog("Command palette").getByRole("combobox").fill("rehearsal two ways");
    await expect(app.dialog("Command palette").getByRole("option").first()).toContainText("Two ways");
    await page.keyboard.press("Enter");
  };
  const cancel = page.getByRole("button", { name: /^Cancel “Two ways/u });
  const leftOver = async (): Promise<readonly string[]> => {
    const path = join(playground.state, "rehearsals");
    return existsSync(path) ? await readdir(path) : [];
  };
  await expect(app.welcome).toBeVisible();

  await jj.wait();
  await begin();
  await expect(cancel).toBeFocused();
  await page.keyboard.press("Enter");
  await jj.goOn();
  await expect(cancel).toHaveCount(0);
  await expect(app.rehearsals.nth(1)).toBeEnabled();
  expect(await leftOver()).toEqual([]);

  await app.openFolder(root);
  await expect(app.graph.row("mine")).toBeVisible();
  await jj.wait();
  await begin();
  await expect(cancel).toBeFocused();
  await scene("55-rehearsal-from-palette");
  await page.keyboard.press("Escape");
  await jj.goOn();
  await expect(cancel).toHaveCount(0);
  await expect(app.graph.row("mine")).toBeVisible();
  await expect.poll(leftOver).toEqual([]);

  // It begins as if nothing had been, and what tells how far it is goes when it is there.
  await page.emulateMedia({ colorScheme: "dark" });
  await jj.wait();
  await begin();
  await expect(cancel).toBeVisible();
  await scene("55-rehearsal-from-palette-dark");
  await jj.goOn();
  await expect(page.getByRole("banner").getByText("Rehearsal", { exact: true })).toBeVisible();
  await expect(cancel).toHaveCount(0);
});

test.describe("as people meet it, on the canvas", () => {
  test.use({ runView: "canvas" });
  test("the focus stays with the graph while it becomes a plan and then a run", { tag: "@long" }, async ({
    start,
  }) => {
    const { app } = await start();
    const { page } = app;
    const graph = page.getByRole("region", { name: "Graph panel" }).locator('[aria-label="Graph"]');
    await app.rehearsals.first().focus();
    await page.keyboard.press("Enter");
    await expect(app.inbox.card("plan")).toBeVisible();
    await expect(page.getByText("Proposed plan")).toBeVisible();
    await expect(graph).toBeFocused();
    await page.keyboard.press("ControlOrMeta+Enter");
    await expect(app.inbox.card("plan")).toHaveCount(0);
    await expect(page.getByText("Proposed plan")).toHaveCount(0);
    await expect(graph).toBeFocused();
    await app.inbox.waitFor("align-request");
  });
});
