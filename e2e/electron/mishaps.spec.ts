import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "@playwright/test";
import { createRepository, HoxApp, test } from "./app.ts";

test("loads a page anew that died, with what is open in it", async ({ folder }) => {
  const app = await HoxApp.start(join(folder, "state"), createRepository(folder, "a change that stays"));
  try {
    await expect(app.page.getByText("a change that stays").first()).toBeVisible();
    await app.killPage();
    await app.shows("agents went on meanwhile");
    await app.shows("a change that stays");
  } finally {
    await app.close();
  }
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
    await expect(app.page.getByText("Make this folder a repository?")).toBeVisible();
    await app.page.keyboard.press("Escape");
    expect(await app.startAgain(join(folder, "nowhere"))).toBe(0);
    await expect(app.page.getByText(/There is no folder .*nowhere/u).first()).toBeVisible();
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
    await app.shows("of the second start");
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
    // What the page does on the click; nobody can click the system's own box here.
    await app.inPage('window.postMessage("hox:show-window", location.origin); null');
    await expect.poll(() => app.isMinimized()).toBe(false);
  } finally {
    await app.close();
  }
});
