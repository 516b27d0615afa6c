import {
  acceptsMergeRequests,
  done,
  plan,
  vote,
  write,
} from "../src-main/engine/testing/three-agents-script.ts";
import type { Scene } from "../src-main/model/stand-in/script.ts";
import { startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import { expect, test } from "./test.ts";

const planned = (file: string): Scene => ({
  name: `plans ${file}`,
  prompt: (seen) => seen.prompt.includes("[EVENT plan") && seen.prompt.includes(`Write the ${file}`),
  steps: [
    {
      calls: [
        {
          tool: "propose_plan",
          input: {
            ...plan,
            contracts: { ...plan.contracts, files: [] },
            tasks: [
              {
                ...plan.tasks[0],
                id: file,
                title: `Write the ${file}`,
                files: [`src/${file}.txt`, `${file}.md`],
              },
            ],
          },
        },
      ],
    },
  ],
});

const works = (file: string): Scene => ({
  name: `writes ${file}`,
  prompt: `Write the ${file}`,
  steps: [write(`src/${file}.txt`, `the ${file}\n`), done(`The ${file} is written.`)],
});

const config = `[backpressure]
fast_checks = ["test -d src"]
slow_checks = []
preflight = "off"

[workflow]
contracts = "off"
learning = "off"
panel = "off"
`;

test("a second run starts while one is active; both are shown, switched by mouse and key, kept apart by their files, and land", async ({
  start,
  playground,
  scene,
  accessible,
}) => {
  const standIn = await startStandIn({
    script: {
      name: "side by side",
      routes: {
        "O-*": [acceptsMergeRequests, planned("store"), planned("view")],
        "agent-*": [works("store"), works("view")],
        "integrator*": [{ name: "joins", steps: [done("All is together.")], optional: true }],
        "validator-*": vote("approve"),
      },
    },
    models: ["claude-sonnet-5-5"],
    pace: 0,
  });
  playground.answeredBy(standIn);
  try {
    const root = await playground.configuredRepository("project", config);
    const { app } = await start({ folder: root });
    const { page, inbox } = app;
    const dialog = app.dialog("Start a run");
    const begin = async (goal: string): Promise<void> => {
      await page.getByLabel("Goal").fill(goal);
      await page.keyboard.press("Control+Enter");
      await expect(dialog).toBeHidden();
    };
    await app.graph.shown();
    await page.keyboard.press("Control+Enter");
    await begin("Write the store");
    const first = await inbox.waitFor("plan");
    await first.getByRole("button", { name: /^Approve/u }).click();
    await inbox.waitFor("land");
    await expect(page.getByRole("button", { name: /^Run O-A/u })).toHaveCount(0);

    // A second goal that needs the same files: its card says who has them, and cannot be approved.
    await page.getByRole("button", { name: "Start another run" }).click();
    await expect(dialog.getByRole("note", { name: "Runs in progress" })).toContainText(
      "O-A-1 Write the store",
    );
    await scene("190-start-beside");
    await begin("Write the store, and say it well");
    const switcher = page.getByRole("button", { name: /^Run O-A/u });
    await expect(switcher).toHaveText("O-A-2 of 2");
    const held = await inbox.waitFor("plan");
    await expect(held).toContainText("O-A-2");
    await expect(held).toContainText("agent-1 of O-A-1 works");
    await expect(held.getByRole("button", { name: /^Approve/u })).toBeDisabled();
    await scene("191-files-taken");
    await accessible("a plan whose files another run works on");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 1024, height: 700 });
    await scene("192-files-taken-dark");
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: "light" });

    // By mouse to the first, by key back again; a card brings its run with it.
    await switcher.click();
    await page.getByRole("menuitemcheckbox", { name: /O-A-1 · Write the store/u }).click();
    await expect(switcher).toHaveText("O-A-1 of 2");
    await scene("193-switched");
    await page.keyboard.press("Alt+o");
    await expect(switcher).toHaveText("O-A-2 of 2");

    // The first lands; what it had is free.
    const land = await inbox.waitFor("land");
    await expect(switcher).toHaveText("O-A-1 of 2");
    await land.getByRole("button", { name: /^Land on main/u }).click();
    await expect(page.getByRole("button", { name: "Start a run" })).toBeVisible();
    await page.keyboard.press("Alt+o");
    await expect(held).not.toContainText("agent-1 of O-A-1 works");
    // Its events are shown while the first one is on screen, and lead to it: its agent says nothing before.
    const letGo = standIn.hold(({ role }) => role.startsWith("agent-"));
    await held.getByRole("button", { name: /^Approve/u }).click();
    await page.keyboard.press("Alt+o");
    await expect(switcher).toHaveText("O-A-1 of 2");
    letGo();
    const event = app.notices.getByRole("group", { name: /^O-A-2 · / });
    await expect(event.first()).toBeVisible();
    await scene("195-event-of-a-run-beside");
    await event
      .first()
      .getByRole("button", { name: /^(?:Open|Show) / })
      .click();
    await expect(switcher).toHaveText("O-A-2 of 2");
    const second = await inbox.waitFor("land");
    await scene("194-second-lands");
    await second.getByRole("button", { name: /^Land on main/u }).click();
    await expect(page.getByRole("button", { name: "Start a run" })).toBeVisible();
    expect(await playground.jj(root, ["file", "show", "-r", "main", "src/store.txt"])).toBe("the store\n");
  } finally {
    await standIn.close();
  }
});
