import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "@playwright/test";
import { createPeople, invitationAddress } from "../src-main/people/people.ts";
import { selfSignedCertificate } from "../src-main/transport/testing/self-signed-certificate.ts";
import { expectAccessible } from "./accessible.ts";
import { type Playground, TestHost } from "./host.ts";
import { App } from "./pages/app.ts";
import { expect, test } from "./test.ts";

type Role = "watch" | "steer" | "approve";

/** A browser of an invited person, which trusts the certificate. */
async function enter(browser: Browser, playground: Playground, origin: string, name: string, role: Role) {
  const people = createPeople(playground.state);
  const { token } = people.invite({ name, role, repository: null, hours: 1 });
  people.close();
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.goto(invitationAddress(origin, token));
  await expect(page, "the invitation leaves the address bar").toHaveURL(`${origin}/`);
  return new App(page);
}

const picture = async (page: Page, name: string): Promise<void> => {
  if (process.env.HOX_TEST_PICTURES === "no") return;
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `test-results/scenes/${name}-${colorScheme}.png`, animations: "disabled" });
  }
};

test.use({ runView: "canvas" });

test("one person watches, one steers, one approves the same run", async ({ browser, page, playground }) => {
  const { cert, key } = selfSignedCertificate(["localhost"]);
  const tls = { cert: join(playground.folder, "cert.pem"), key: join(playground.folder, "key.pem") };
  await writeFile(tls.cert, cert);
  await writeFile(tls.key, key);
  const host = await TestHost.start(playground, { pace: 6, people: tls });
  const apps: App[] = [];
  try {
    const own = new App(page);
    await own.goto(await host.address());
    await own.watchRehearsal();
    await own.inbox.waitFor("plan");
    const origin = await host.peopleOrigin();
    for (const [name, role] of [
      ["Wanda", "watch"],
      ["Sam Steer", "steer"],
      ["Ann", "approve"],
    ] as const)
      apps.push(await enter(browser, playground, origin, name, role));
    const [wanda, sam, ann] = apps as [App, App, App];

    const plan = await wanda.inbox.waitFor("plan");
    await expect(wanda.page.getByRole("banner").getByRole("note")).toContainText("Watching");
    await expect(plan.getByRole("note")).toContainText("This needs the role approve; yours is watch.");
    await expect(plan.getByRole("button", { name: /^Approve/u })).toBeDisabled();
    await expect(wanda.page.getByRole("list", { name: "People here" }).getByRole("img")).toHaveCount(3);

    // Whoever is about to answer is seen by the others.
    const answered = await ann.inbox.waitFor("plan");
    await answered.getByRole("button", { name: /^Approve/u }).focus();
    await expect(plan.getByRole("status").filter({ hasText: "Being answered by Ann" })).toBeVisible();
    await picture(wanda.page, "70-people-watching");
    await expectAccessible(wanda.page, "a card of a watching person");

    await expect(sam.control("Pause")).toBeVisible();
    await sam.control("Pause").click();
    await expect(ann.control("Resume")).toBeVisible();
    await sam.control("Resume").click();
    await expect((await sam.inbox.waitFor("plan")).getByRole("button", { name: /^Approve/u })).toBeDisabled();
    await ann.inbox.approve("plan");

    // Who looks at a task is on its lane.
    const lane = (app: App) => app.page.locator("[data-lane-name]").filter({ hasText: "agent-1" }).first();
    await expect(lane(sam)).toBeVisible();
    await lane(sam).click();
    await expect(lane(wanda)).toContainText("Sam Steer looking at this");
    await picture(wanda.page, "71-people-on-canvas");

    // What they did, for the owner; removed, a window closes at once.
    await own.page.keyboard.press("Control+,");
    const settings = own.page.getByRole("dialog", { name: "Settings" });
    await settings.getByText("What people did").click();
    const log = settings.getByRole("list", { name: "What people did" });
    await expect(log).toContainText("Sam Steer paused the run");
    await expect(log).toContainText("Ann answered a card");
    await log.scrollIntoViewIfNeeded();
    await picture(own.page, "72-people-settings");
    await settings.getByRole("button", { name: "Remove Wanda" }).click();
    await own.page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
    await expect(wanda.page.getByRole("alert")).toContainText("This browser has no access to this host.");
  } finally {
    for (const app of apps) await app.page.context().close();
    await host.stop();
  }
});
