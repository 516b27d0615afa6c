import { config } from "../src-main/engine/testing/merge-request-script.ts";
import { calmAgents } from "../src-main/engine/testing/three-agents-script.ts";
import { createForgeWorld, everything, ownToken } from "../src-main/forge/testing/forge-world.ts";
import { serveGithub } from "../src-main/forge/testing/github-server.ts";
import { startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import { expect, test } from "./test.ts";

test.use({ runView: "canvas" });

test("a result opens as one draft for each task, after the user has seen where", async ({
  start,
  playground,
  scene,
  accessible,
}) => {
  const standIn = await startStandIn({ script: calmAgents, models: ["claude-sonnet-5-5"], pace: 0 });
  playground.answeredBy(standIn);
  const world = createForgeWorld({ folder: `${playground.folder}/forge`, now: Date.now, hasStacks: true });
  world.tokens.set(ownToken, {
    user: world.user("me"),
    permissions: everything,
  });
  const forge = await serveGithub(world);
  Object.assign(playground.environment, {
    GH_HOST: forge.host,
    GH_ENTERPRISE_TOKEN: ownToken,
  });
  try {
    const root = await playground.filledRepository(
      "project",
      config('[workflow]\ncontracts = "off"\nlearning = "off"\npanel = "off"\nintegrator = "auto"\n'),
    );
    await playground.git(root, ["remote", "add", "origin", `http://${forge.host}/acme/widgets.git`]);
    await playground.git(root, ["push", "-q", "-f", "origin", "main"]);
    await playground.git(root, ["fetch", "-q", "origin"]);
    const { app } = await start({ folder: root });
    const { page, inbox } = app;
    page.setDefaultTimeout(15_000);
    await app.graph.shown();
    await page.keyboard.press("Control+Enter");
    await page.getByLabel("Goal").fill("Keep users");
    await page.getByLabel("Goal").press("Control+Enter");
    await (await inbox.waitFor("plan")).getByRole("button", { name: /^Approve/u }).click();
    const land = await inbox.waitFor("land");
    await land.getByText("One per task", { exact: true }).first().click();
    await expect(land).toContainText("acme/widgets on GitHub");
    expect(world.pullRequests, "nothing is pushed before the user's yes").toEqual([]);
    await scene("210-land-as-a-stack-light");
    await accessible("a result that opens as a stack");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 1024, height: 700 });
    await scene("210-land-as-a-stack-dark-small");
    await page.setViewportSize({ width: 1440, height: 900 });
    await land.getByRole("button", { name: /^Open drafts/u }).click();
    await expect.poll(() => world.pullRequests.length).toBeGreaterThan(2);
    await app.inspector.open();
    const list = page.getByRole("region", { name: "Pull requests" });
    await expect(list.getByRole("listitem").first()).toContainText("draft");
    await scene("211-pull-requests-dark");
    await page.emulateMedia({ colorScheme: "light" });
    await accessible("pull requests in the inspector");
    await scene("211-pull-requests-light");
    expect(world.pullRequests.every(({ isDraft }) => isDraft)).toBe(true);
  } finally {
    await forge.close();
    await standIn.close();
  }
});
