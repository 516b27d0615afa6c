import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "@playwright/test";
import { HoxApp, test } from "./app.ts";

test("is quit from the menu, and comes back where it was", async ({ folder }) => {
  const state = join(folder, "state");
  const app = await HoxApp.start(state);
  await expect(app.page.getByRole("heading", { name: "Hox" })).toBeVisible();
  await app.moveTo({ x: 40, y: 60, width: 900, height: 640 });
  expect(await app.end("menu")).toBe(0);
  const { bounds } = JSON.parse(readFileSync(join(state, "window.json"), "utf8"));
  expect(bounds).toMatchObject({ width: 900, height: 640 });
});

// Windows has no signals to send.
const signals = process.platform === "win32" ? [] : (["SIGTERM", "SIGINT", "SIGHUP"] as const);
for (const signal of signals) {
  test(`saves a run when ${signal} ends the app, and resumes it at the next start`, async ({ folder }) => {
    const state = join(folder, "state");
    const app = await HoxApp.start(state);
    await app.page.getByRole("list", { name: "Rehearsals" }).getByRole("button").first().click();
    await expect(app.page.getByRole("button", { name: "Pause" })).toBeVisible();
    expect(await app.end(signal)).toBe(0);
    const again = await HoxApp.start(state, join(state, "rehearsals", "profiles-1"));
    try {
      await expect(again.page.getByRole("button", { name: "Pause" })).toBeVisible();
    } finally {
      await again.close();
    }
  });
}
