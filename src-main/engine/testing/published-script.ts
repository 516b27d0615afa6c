/** Runs that are published on a forge: who works in them, and what people do there. */
import type { ForgeWorld, WorldPullRequest } from "../../forge/testing/forge-world.ts";
import { defineScript } from "../../model/stand-in/script.ts";
import { config } from "./merge-request-script.ts";
import { calmAgents, done, rewrite } from "./three-agents-script.ts";

export const withoutPanel = (more = "") =>
  config(`[workflow]\ncontracts = "off"\nlearning = "off"\npanel = "off"\n${more}`);

/** Three agents who do what reviewers and checks ask for. */
export const publishedScript = defineScript({
  name: "published",
  routes: {
    ...calmAgents.routes,
    "agent-1": [
      {
        name: "sees nothing to change",
        prompt: /^(?![\s\S]*say that it was reviewed)[\s\S]*Is this needed\?/u,
        steps: [done("It is needed: the view reads it.")],
        optional: true,
      },
      {
        name: "addresses the review",
        prompt: /Review of the pull request|Checks of the pull request/u,
        steps: [...rewrite("src/store.txt", "the store, reviewed\n"), done("The store is as asked.")],
        optional: true,
      },
      ...(calmAgents.routes["agent-1"] ?? []),
    ],
    "agent-3": [
      {
        name: "repairs its check",
        prompt: "Checks of the pull request failed",
        steps: [...rewrite("src/view.txt", "shows users, repaired\n"), done("The build works.")],
        optional: true,
      },
      ...(calmAgents.routes["agent-3"] ?? []),
    ],
    integrator: [
      {
        name: "repairs",
        prompt: "Checks of the pull request failed",
        steps: [...rewrite("src/index.txt", "the store\nthe view\nrepaired\n"), done("The build works.")],
        optional: true,
      },
      ...(calmAgents.routes.integrator ?? []),
    ],
  },
});

/** A person's, on the first line. */
export function comment(
  world: ForgeWorld,
  pull: WorldPullRequest,
  file: string,
  text: string,
  id = "t1",
): void {
  const comments = [world.comment(world.user("alice"), text)];
  pull.threads.push({ id, file, line: 1, side: "new", isResolved: false, comments });
  world.touch(pull);
}

const parts = 3;

/** A comment on the store, then a failed check of the view, then merges from below, each when the one before has had its effect. */
export const publishedPeople = {
  people(world: ForgeWorld): void {
    const { pullRequests: pulls } = world;
    if (pulls.length < parts) return;
    const [store, view] = ["store", "view"].map((name) =>
      pulls.find(({ title }) => title === `Write the ${name}`),
    );
    if (!store || !view) return;
    if (store.threads.length === 0) comment(world, store, "src/store.txt", "Say that it was reviewed.");
    if (store.threads[0]?.isResolved === false) return;
    if (world.checks.size === 0) {
      world.setCheck(world.headOf(view), "build", "failed");
      world.touch(view);
    }
    const isRepaired = world.git("show", `${world.headOf(view)}:src/view.txt`).includes("repaired");
    const next = pulls.find(({ state }) => state === "open");
    if (!isRepaired || next?.base !== "main") return;
    if (world.git("merge-base", world.headOf(next), "main") !== world.tip("main")) return;
    next.isDraft = false;
    world.merge(next, "squash", null);
  },
  problems({ pullRequests, git }: ForgeWorld): readonly string[] {
    const branches = git("for-each-ref", "--format=%(refname:short)", "refs/heads");
    const replies = pullRequests.flatMap(({ threads }) =>
      threads.flatMap(({ comments }) => comments.slice(1)),
    );
    return [
      ...(pullRequests.length === parts ? [] : [`${pullRequests.length} pull requests`]),
      ...(replies.length === 1 ? [] : [`${replies.length} replies`]),
      ...(branches === "main" ? [] : [`branches are left: ${branches}`]),
    ];
  },
};
