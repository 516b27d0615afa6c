import { existsSync } from "node:fs";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { calmAgents, done, exampleFiles, write } from "../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

/** A package as npm installs it: what `npm run lint` starts, and nothing that is in a commit. */
async function install(root: string): Promise<void> {
  const folder = join(root, "node_modules", "strict-lint");
  await mkdir(join(root, "node_modules", ".bin"), { recursive: true });
  await mkdir(folder);
  await writeFile(
    join(folder, "lint.js"),
    [
      "#!/usr/bin/env node",
      'const { readdirSync, readFileSync } = require("node:fs");',
      'const bad = readdirSync("src").filter((name) => readFileSync("src/" + name, "utf8").includes("BROKEN"));',
      'if (bad.length > 0) { process.stdout.write("strict-lint: " + bad); process.exit(1); }',
    ].join("\n"),
  );
  await chmod(join(folder, "lint.js"), 0o755);
  await symlink("../strict-lint/lint.js", join(root, "node_modules", ".bin", "strict-lint"));
}

test("a fresh workspace runs the project's checks with npm's packages, and changes none of them", {
  tags: ["long"],
  timeout: 400_000,
}, async () => {
  fixture = await createFixture({
    files: {
      "readme.md": "# Example\n",
      ".gitignore": "node_modules/\n",
      "package.json": JSON.stringify({ name: "example", scripts: { lint: "strict-lint src" } }),
      ".hox/config.toml":
        '[workspace]\nsetup = ["node_modules/.bin/strict-lint --version || true", "exit 7"]\n',
    },
    script: {
      ...calmAgents,
      routes: {
        ...calmAgents.routes,
        "agent-3": [
          {
            name: "breaks it, and meddles with the packages",
            prompt: (seen) => !seen.prompt.includes("## Last checks"),
            steps: [
              {
                calls: [
                  {
                    tool: "run_command",
                    input: {
                      command:
                        "echo tampered > node_modules/strict-lint/planted.js; echo $HOX_PORT_BASE $HOX_PORT_COUNT $PORT",
                    },
                  },
                ],
              },
              write("src/view.txt", "BROKEN\n"),
              done("First try."),
            ],
          },
          ...(calmAgents.routes["agent-3"]?.slice(1) ?? []),
        ],
      },
    },
  });
  const one = fixture;
  await install(one.root);
  const id = await one.start();
  const run = await one.until(over, 280_000);
  expect(run.stage).toBe("complete");

  const rows = await one.execute("run.conversation", { run: id, worker: "agent-3" });
  const checks = rows.flatMap((row) => (row.kind === "checks" ? row.results : []));
  expect(checks[0]).toMatchObject({ name: "lint", outcome: "failed", output: "strict-lint: view.txt" });
  expect(checks.at(-1)).toMatchObject({ name: "lint", outcome: "passed" });
  const printed = rows.flatMap((row) =>
    row.kind === "tool-result" && row.tool === "run_command" ? [row.output] : [],
  );
  const [, base, count, port] = /(\d{5}) (\d+) (\d{5})/u.exec(printed.join()) ?? [];
  expect([count, port]).toEqual(["10", base]);
  // Once, though the agent took two iterations; the fresh folder in which its work was checked then has its own.
  const [, second = 0] = rows.flatMap((row, index) => (row.kind === "checks" ? [index] : []));
  const failed = rows
    .slice(0, second)
    .filter((row) => row.kind === "notice" && row.text.startsWith("Setup command failed: exit 7"));
  expect(failed).toHaveLength(1);
  // Three agents, their merge requests and the validators met the same cause: it is told once.
  const notices = one.events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));
  expect(notices.filter((text) => text.startsWith("Setup command failed: exit 7"))).toHaveLength(1);

  // The validators judged in fresh folders, where the checks ran as well.
  expect(run.validation?.checks).toMatchObject([{ name: "lint", outcome: "passed" }]);
  expect(existsSync(join(one.root, "node_modules/strict-lint/planted.js"))).toBe(false);
  expect(
    await one.repo.terminal(["log", "-r", 'files("node_modules")', "--no-graph", "-T", "change_id"]),
  ).toBe("");
});

test("an interrupted set-up is completed at the next start", async () => {
  fixture = await createFixture({
    files: {
      ...exampleFiles,
      ".hox/config.toml": `${exampleFiles[".hox/config.toml"]}[workspace]\nsetup = ["sleep 600", "true"]\n`,
    },
  });
  const one = fixture;
  await one.start();
  const settingUp = () =>
    one.until((run) => run.workers.some(({ activity }) => activity === "setting up, 1 of 2: sleep 600"));
  await settingUp();
  // Closing does not wait for the command, and what it was to do is not taken for done.
  await one.reopen();
  await settingUp();
}, 400_000);
