import { join } from "node:path";
import { expect } from "@playwright/test";
import { createRepository, HoxApp, test } from "./app.ts";

test("opens on the welcome, in a window that has nothing of Node", async ({ folder }) => {
  const app = await HoxApp.start(join(folder, "state"));
  try {
    await expect(app.page.getByRole("heading", { name: "Hox" })).toBeVisible();
    expect(app.page.url()).toBe("app://hox/");
    const reach = await app.page.evaluate(() =>
      ["require", "process", "module"].filter((name) => name in globalThis),
    );
    expect(reach).toEqual([]);
    await app.inPage('location.href = "https://example.org/"; null');
    await app.inPage('location.href = "file:///etc/passwd"; null');
    // Playwright's own ways wait for the navigation that was refused.
    expect(await app.inPage("[location.href, document.querySelector('h1')?.textContent]")).toEqual([
      "app://hox/",
      "Hox",
    ]);
  } finally {
    await app.close();
  }
});

test("opens the repository named when it is started", async ({ folder }) => {
  const repository = createRepository(folder, "a change to be seen");
  const app = await HoxApp.start(join(folder, "state"), repository);
  try {
    await expect(app.page.getByText("a change to be seen").first()).toBeVisible();
  } finally {
    await app.close();
  }
});

test("opens the repository picked in the system's dialog, and remembers it", async ({ folder }) => {
  const repository = createRepository(folder, "a change that was picked");
  const app = await HoxApp.start(join(folder, "state"));
  try {
    await app.willPick(repository);
    await app.page.getByRole("button", { name: "Open a folder…" }).click();
    await expect(app.page.getByText("a change that was picked").first()).toBeVisible();
  } finally {
    await app.close();
  }
  const again = await HoxApp.start(join(folder, "state"));
  try {
    const recent = again.page.getByRole("region", { name: "Recent" });
    await recent.getByRole("button", { name: /^repository/u }).click();
    await expect(again.page.getByText("a change that was picked").first()).toBeVisible();
  } finally {
    await again.close();
  }
});
