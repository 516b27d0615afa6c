import { join } from "node:path";
import { expect, test } from "./test.ts";

test("a machine without jj is offered one, and hears why it could not be fetched", async ({
  start,
  playground,
  scene,
}) => {
  // As an app that was started from the desktop of such a machine, whose way out leads nowhere.
  Object.assign(playground.environment, {
    HOX_JJ: "",
    PATH: process.platform === "win32" ? "C:\\Windows\\System32" : "/usr/bin:/bin",
    HOME: playground.folder,
    USERPROFILE: playground.folder,
    CARGO_HOME: "",
    XDG_CACHE_HOME: join(playground.folder, "cache"),
    NODE_USE_ENV_PROXY: "1",
    HTTPS_PROXY: "http://127.0.0.1:9",
  });
  const { app } = await start();
  const problem = app.page.getByRole("region", { name: "Problems on this machine" }).getByRole("listitem");
  const jj = problem.filter({ hasText: "jj was not found" });
  await expect(jj).toBeVisible();
  await scene("55-no-jj");
  await jj.getByRole("button", { name: "Download jj" }).click();
  await expect(app.page.getByText(/jj was not downloaded: Could not download https:.+/u)).toBeVisible();
  await expect(app.page.getByText(/Try again when you are online/u)).toBeVisible();
  // It is offered again.
  await expect(jj.getByRole("button", { name: "Download jj" })).toBeEnabled();
  await scene("56-jj-not-fetched");
});
