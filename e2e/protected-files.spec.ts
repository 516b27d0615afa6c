import { calmAgents, done, write } from "../src-main/engine/testing/three-agents-script.ts";
import { startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import { expect, test } from "./test.ts";

test("what is red before a run is asked about first; a package that an agent asks for is refused with a word; a protected file that an agent changed waits for a user, who allows it as it is shown", async ({
  start,
  playground,
  scene,
  accessible,
}) => {
  const standIn = await startStandIn({
    script: {
      ...calmAgents,
      routes: {
        ...calmAgents.routes,
        "agent-2": [
          {
            name: "changes what the repository holds and ignores",
            steps: [
              { calls: [{ tool: "run_command", input: { command: "echo KEY=2 > .env" } }] },
              write("src/api.txt", "GET /users/:userId\n"),
              done("The API speaks of userId."),
            ],
          },
        ],
        "agent-3": [
          {
            name: "asks for a package",
            prompt: (seen) => !seen.prompt.includes("## Dependencies that you asked for"),
            steps: [
              {
                calls: [
                  {
                    tool: "request_dependency",
                    input: {
                      name: "@fastify/rate-limit",
                      version: "^10.3.0",
                      why: "Nobody may ask more than 100 times a minute. The project has no limiter, and this one belongs to its framework.",
                    },
                  },
                ],
              },
            ],
          },
          {
            name: "goes on as it was told",
            prompt: "> Use what the framework has.",
            steps: [write("src/view.txt", "userId\n"), done("Without.")],
          },
        ],
      },
    },
  });
  playground.answeredBy(standIn);
  try {
    const scripts = { lint: "echo 'src/old.c:3:1: error: old'; exit 1", types: "true" };
    const root = await playground.filledRepository("project", {
      ".env": "KEY=1\n",
      ".gitignore": ".env\n",
      ".npmrc": "registry=https://npm.example.com/\n",
      "package.json": JSON.stringify({ scripts }),
    });
    const { app } = await start({ folder: root });
    const { page, inbox } = app;
    await page.getByRole("button", { name: "Start a run" }).click();
    await page.getByLabel("Goal").fill("Keep users");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    const look = await inbox.waitFor("preflight");
    await expect(look.getByText("1 failed: src/old.c: old")).toBeVisible();
    await expect(
      look.getByText('fast_checks = ["npm run --silent lint", "npm run --silent types"]'),
    ).toBeVisible();
    await scene("63-preflight");
    await accessible("preflight");
    // Left out and taken back: the decision says which it is.
    await look.getByLabel("Leave out").first().check();
    await expect(look.getByRole("button", { name: /^Continue without it/u })).toBeVisible();
    await look.getByLabel("Leave out").first().uncheck();
    await look.getByRole("button", { name: /^Continue/u }).focus();
    await page.keyboard.press("a");
    await expect(look).toHaveCount(0);
    await inbox.approve("plan");

    const wish = await inbox.waitFor("dependency");
    await expect(wish.getByText("npm install --ignore-scripts")).toBeVisible();
    await expect(wish.getByText("npm.example.com")).toBeVisible();
    await wish.getByRole("radio", { name: /^Always: add/u }).check();
    await scene("64-dependency");
    await accessible("a package that is asked for");
    await wish.getByRole("button", { name: /^Continue without/u }).focus();
    await page.keyboard.press("r");
    await wish.getByLabel("Why not? The agent will read it.").fill("Use what the framework has.");
    await page.keyboard.press("Control+Enter");
    await expect(wish).toHaveCount(0);

    const card = await inbox.waitFor("protected");
    await expect(card.getByText(".env", { exact: true }).first()).toBeVisible();
    await expect(card.getByText("KEY=2")).toBeVisible();
    await scene("60-protected-file");
    await accessible("a protected file");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 1024, height: 700 });
    await scene("61-protected-file-dark");
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: "light" });
    await card.getByRole("button", { name: /^Allow as shown/u }).click();

    const land = await inbox.waitFor("land");
    await expect(land.getByText("Includes a protected file")).toBeVisible();
    await expect(land.getByText("Already failing before this run: lint")).toBeVisible();
    await scene("62-protected-file-lands");
    await land.getByRole("button", { name: /^Land on main/u }).click();
    await expect(page.getByRole("button", { name: "Start a run" })).toBeVisible();
    expect(await playground.jj(root, ["file", "show", "-r", "main", ".env"])).toBe("KEY=2\n");
  } finally {
    await standIn.close();
  }
});
