import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { createForges } from "../../../../forge/connect.ts";
import type { Permission } from "../../../../forge/forge-error.ts";
import { systemForgeClock } from "../../../../forge/forge-http.ts";
import {
  createForgeWorld,
  type ForgeWorld,
  type WorldPullRequest,
} from "../../../../forge/testing/forge-world.ts";
import { serveGithub } from "../../../../forge/testing/github-server.ts";
import { defineScript } from "../../../../model/stand-in/script.ts";
import { tempDir } from "../../../../testing/kit.ts";
import { config } from "../../../testing/merge-request-script.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { calmAgents, done, rewrite } from "../../../testing/three-agents-script.ts";

const permissions: readonly Permission[] = ["read", "issues", "checks", "pull-requests", "merge"];

const withoutPanel = (more = "") =>
  config(`[workflow]\ncontracts = "off"\nlearning = "off"\npanel = "off"\n${more}`);

const script = defineScript({
  name: "published",
  routes: {
    ...calmAgents.routes,
    "agent-1": [
      ...(calmAgents.routes["agent-1"] ?? []),
      {
        name: "addresses the review",
        prompt: /Review of the pull request|Checks of the pull request/u,
        steps: [...rewrite("src/store.txt", "the store, reviewed\n"), done("The store is as asked.")],
        optional: true,
      },
    ],
  },
});

/** A run whose repository has a remote on a stand-in of GitHub. */
async function published(form: "pull request" | "stack"): Promise<{ one: Fixture; world: ForgeWorld }> {
  const world = createForgeWorld({ folder: tempDir(), now: Date.now });
  world.tokens.set("hox-test-token-of-me", { user: world.user("me"), permissions });
  const served = await serveGithub(world);
  onTestFinished(served.close);
  const forges = createForges({
    env: { GH_HOST: served.host, GH_ENTERPRISE_TOKEN: "hox-test-token-of-me" },
    clock: systemForgeClock,
    ask: async () => null,
  });
  const one = await createFixture({
    script,
    files: withoutPanel(),
    // A look every 300 ms.
    forges: {
      ...forges,
      clock: { ...systemForgeClock, after: (ms, work) => systemForgeClock.after(ms / 100, work) },
    },
  });
  await one.repo.terminal(["git", "remote", "add", "origin", `http://${served.host}/acme/widgets.git`]);
  await promisify(execFile)("git", ["-C", one.root, "push", "-q", "-f", "origin", "main"]);
  await one.repo.terminal(["git", "fetch"]);
  one.answers = {
    ...agreeable,
    land: () => ({ kind: "approve", form: form === "stack" ? "stack" : "pull_request" }),
  };
  return { one, world };
}

const only = (world: ForgeWorld): WorldPullRequest => {
  const [first, ...others] = world.pullRequests;
  if (!first || others.length > 0) throw new Error(`There are ${world.pullRequests.length} pull requests.`);
  return first;
};

test("a result becomes a draft, a comment on a line reopens its task, and the merge lands the run", {
  timeout: 240_000,
}, async () => {
  const { one, world } = await published("pull request");
  await one.start();
  await one.until((run) => run.publication?.isPublished === true);
  const pull = only(world);
  expect(pull).toMatchObject({ isDraft: true, base: "main", state: "open" });
  expect(pull.text).toContain("### Goal");
  const first = world.headOf(pull);

  pull.threads.push({
    id: "t1",
    file: "src/store.txt",
    line: 1,
    side: "new",
    isResolved: false,
    comments: [world.comment(world.user("alice"), "Say that it was reviewed.")],
  });
  world.touch(pull);
  await one.until((run) => run.workers.some(({ name, status }) => name === "agent-1" && status !== "done"));
  await one.until(() => pull.threads[0]?.isResolved === true, 120_000);
  expect(pull.threads[0]?.comments.at(-1)?.text).toContain("Addressed in");
  const second = world.headOf(pull);
  expect(world.git("show", `${second}:src/store.txt`)).toContain("reviewed");
  // Nothing that people had seen was replaced.
  expect(world.git("merge-base", first, second)).toBe(first);

  pull.isDraft = false;
  world.merge(pull, "squash", null);
  const run = await one.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(await one.repo.terminal(["file", "show", "-r", "main", "src/store.txt"])).toContain("reviewed");
  expect(await one.repo.terminal(["bookmark", "list"])).not.toContain("hox/");
});
