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

    // What begins with a drag or a key does not begin, and says why.
    const { plan: proposed, page: watching } = wanda;
    const refused = (role: Role) => wanda.notices.getByText(`This needs the role ${role}; yours is watch.`);
    await proposed.drag(proposed.part("Profile client"), proposed.part("Profile API"), async () => {
      await expect(refused("approve")).toBeVisible();
      await expect(proposed.preview("“Profile client” waits for “Profile API”")).toHaveCount(0);
      await picture(watching, "70b-people-drag-refused");
    });
    await proposed.part("Profile client").click();
    await expect(proposed.inspector.getByRole("note")).toContainText("This needs the role approve");
    await expect(proposed.inspector.getByRole("textbox", { name: "Title" })).toBeDisabled();
    await proposed.part("Profile client").click({ button: "right" });
    await expect(watching.getByRole("menuitem", { name: "Remove from the plan" })).toBeDisabled();
    await watching.keyboard.press("Escape");
    await watching.keyboard.press("Delete");
    await expect(proposed.state).toHaveText("Proposed plan");
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

    // A lane is dragged, and moved by keys, by those who steer. It has begun, and is not done meanwhile.
    for (const app of [sam, wanda]) await expect(lane(app)).toContainText("in progress");
    await sam.control("Pause").click();
    await expect(sam.control("Resume")).toBeVisible();
    const ghost = (app: App) => app.page.locator("[data-drag-ghost]");
    const isMovedBy = async (app: App, meanwhile: () => Promise<void>): Promise<void> => {
      const box = await lane(app).boundingBox();
      if (!box) throw new Error("The lane is not on screen.");
      await app.page.mouse.move(box.x + 60, box.y + 8);
      await app.page.mouse.down();
      await app.page.mouse.move(box.x + 80, box.y + 40, { steps: 4 });
      await meanwhile();
      await app.page.keyboard.press("Escape");
      await app.page.mouse.up();
    };
    await isMovedBy(sam, () => expect(ghost(sam)).toBeVisible());
    await isMovedBy(wanda, async () => {
      await expect(refused("steer")).toBeVisible();
      await expect(ghost(wanda)).toHaveCount(0);
      await picture(watching, "71b-people-lane-refused");
    });
    await lane(wanda).focus();
    await watching.keyboard.press("Alt+ArrowDown");
    await expect(wanda.notices).toContainText("This needs the role steer; yours is watch.");
    await sam.control("Resume").click();
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
    const asks = own.page
      .getByRole("alertdialog")
      .or(own.page.getByRole("dialog", { name: "Remove Wanda?" }));
    await asks.getByRole("button", { name: "Remove", exact: true }).click();
    await expect(wanda.page.getByRole("alert")).toContainText("This browser has no access to this host.");
  } finally {
    for (const app of apps) await app.page.context().close();
    await host.stop();
  }
});
