import { type ChildProcess, execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "@playwright/test";
import { createRepository, HoxApp, test } from "./app.ts";

/** Pids of the renderers of this app. */
function pagesOf(app: ChildProcess): number[] {
  const rows = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" }).trim().split("\n");
  const all = rows.map((row) => /^\s*(\d+)\s+(\d+)\s+(.*)$/u.exec(row) ?? ["", "0", "0", ""]);
  // A renderer is started by a helper of the app, where that has a sandbox.
  const isOfApp = (pid: string): boolean => {
    const parent = all.find(([, own]) => own === pid)?.[2];
    return parent !== undefined && parent !== "0" && (parent === String(app.pid) || isOfApp(parent));
  };
  return all
    .filter(([, pid = "", , args = ""]) => args.includes("--type=renderer") && isOfApp(pid))
    .map(([, pid]) => Number(pid));
}

test("reloads a page that crashed while the host keeps running", async ({ folder }) => {
  test.skip(process.platform === "win32", "Windows has no ps, and no signal to end the app with");
  // Without Playwright in between, which ends an app whose page dies.
  const app = HoxApp.startPlainly(join(folder, "state"), createRepository(folder, "a change that stays"));
  let output = "";
  app.stderr?.on("data", (data: Buffer) => {
    output += data.toString();
  });
  const ended = new Promise<number | null>((resolve) => app.once("exit", (code) => resolve(code)));
  await expect.poll(() => pagesOf(app)).toHaveLength(1);
  const [page = 0] = pagesOf(app);
  process.kill(page, "SIGKILL");
  await expect.poll(() => output).toContain("Reloading; agents keep running.");
  await expect.poll(() => pagesOf(app)).toHaveLength(1);
  expect(pagesOf(app)).not.toEqual([page]);
  app.kill("SIGTERM");
  expect(await ended).toBe(0);
});

test("keeps what is open when the page is loaded again", async ({ folder }) => {
  const app = await HoxApp.start(join(folder, "state"), createRepository(folder, "a change that stays"));
  try {
    for (const _ of [1, 2, 3]) {
      await expect(app.page.getByText("a change that stays").first()).toBeVisible();
      await app.page.reload();
    }
    await expect(app.page.getByText("a change that stays").first()).toBeVisible();
  } finally {
    await app.close();
  }
});

test("asks in the window about a folder that is no repository, and says why another cannot be opened", async ({
  folder,
}) => {
  const plain = join(folder, "plain");
  mkdirSync(plain);
  const app = await HoxApp.start(join(folder, "state"), plain);
  try {
    await expect(app.page.getByText("Create a repository in this folder?")).toBeVisible();
    await app.page.keyboard.press("Escape");
    expect(await app.startAgain(join(folder, "nowhere"))).toBe(0);
    await expect(app.page.getByText(/No folder .*nowhere/u).first()).toBeVisible();
  } finally {
    await app.close();
  }
});

test("a second start hands its folder to the window that is open, and shows it", async ({ folder }) => {
  const app = await HoxApp.start(
    join(folder, "state"),
    createRepository(folder, "of the first start", "one"),
  );
  try {
    await expect(app.page.getByText("of the first start").first()).toBeVisible();
    await app.minimize();
    expect(await app.startAgain(createRepository(folder, "of the second start", "two"))).toBe(0);
    await expect(app.page.getByText("of the second start").first()).toBeVisible();
    await expect.poll(() => app.isMinimized()).toBe(false);
  } finally {
    await app.close();
  }
});

test("comes forward when its notification is clicked", async ({ folder }) => {
  const app = await HoxApp.start(join(folder, "state"));
  try {
    await expect(app.page.getByRole("heading", { name: "Hox" })).toBeVisible();
    expect(await app.inPage("Notification.permission")).toBe("granted");
    await app.minimize();
    // What the page does on the click: a test cannot click the system's own box.
    await app.inPage('window.postMessage("hox:show-window", location.origin); null');
    await expect.poll(() => app.isMinimized()).toBe(false);
  } finally {
    await app.close();
  }
});
