/** How the orchestrator of the profiles rehearsal plans. */
import type { Plan } from "#shared/domain/plan/plan.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import type { Scene, Step } from "../model/stand-in/script.ts";
import { type OwnerName, paths } from "./profiles-sources.ts";
import { call, follow, read } from "./reading.ts";

const planFor = (goal: string, summary: string): Plan => ({
  goal,
  summary,
  orchestrators: { count: 1, reason: "Three tasks around one contract fit into one head." },
  contracts: {
    title: "What a profile is",
    description:
      "The shape of a profile, the limits of its texts and the field that names its user, in one file that API, client and store import. Acceptance tests say what the goal means before anyone starts.",
    files: [paths.contract, paths.contractTest, paths.acceptance, paths.intent],
  },
  phases: [{ number: 1, title: "API, client and store" }],
  tasks: [
    {
      id: "api",
      title: "Profile API",
      description:
        "Routes in src/profiles.js: GET and PUT /users/:id/profile, in the manner of src/users.js. Refuse texts over the limits of the contract. Test the routes with a small store; do not wire them into src/app.js, that is done at integration. Add a line to CHANGELOG.md.",
      phase: 1,
      priority: "high",
      files: [paths.api, paths.apiTest],
      after: [],
    },
    {
      id: "client",
      title: "Profile client",
      description:
        "profile(id) and saveProfile(id, texts) in src/client.js. Test the requests that they make, without a socket. Add a line to CHANGELOG.md.",
      phase: 1,
      priority: "high",
      files: [paths.client, paths.clientTest],
      after: [],
    },
    {
      id: "storage",
      title: "Profile storage and tests",
      description:
        "A table of profiles in src/store.js: get(id) and put(profile), one row per user. Test that saving again replaces, and that rows outlive the process. Add a line to CHANGELOG.md.",
      phase: 1,
      priority: "medium",
      files: [paths.store, paths.storeTest],
      after: [],
    },
  ],
  integration: {
    title: "Wire profiles together",
    description: `Bring the three parts together, add the routes in ${paths.app}, keep every changelog entry, test the whole through the client, and run the acceptance tests.`,
  },
  budget: { tokens: 2_000_000, microDollars: 5_000_000 },
});

/** The name that an answer in anybody's words is nearest to. */
export function nearestName(answer: string): OwnerName {
  const says = (name: string): number => answer.lastIndexOf(name);
  if (says("user_id") !== says("userId")) return says("user_id") > says("userId") ? "user_id" : "userId";
  const words = answer.toLowerCase();
  if (/camel/u.test(words) !== /snake|underscore/u.test(words))
    return /camel/u.test(words) ? "userId" : "user_id";
  return /userid|[a-z][A-Z]/u.test(answer) ? "userId" : "user_id";
}

export const plan: Scene = {
  name: "plan",
  prompt: "[EVENT plan]",
  steps: [
    {
      say: "I read the project before I cut it up.",
      calls: [call("list_files", {}), read(paths.readme), read("package.json"), read(paths.changelog)],
    },
    {
      thinking:
        "Routes per subject, a store that is handed in, a client over any `send`. Three seams that exist already, so three tasks need not touch the same file.",
      say: "Three seams exist already: routes, client and store. I look at each, and at how things are named.",
      calls: [
        read(paths.app),
        read("src/users.js"),
        read(paths.store),
        read(paths.client),
        call("search", { pattern: "created_at" }),
      ],
    },
    (seen): Step => {
      const goal = sectionOf(seen.prompt, "Goal") || "Add user profiles";
      const learned = [
        ...sectionOf(seen.prompt, "Learned patterns").matchAll(/^- (.+) \(confidence \d+ %\):$/gmu),
      ].map((match) => match[1]);
      const summary =
        "First one contract that says what a profile is, then API, client and store at the same time, each in files of its own. Wiring, the whole test and the README come at integration." +
        (learned.length > 0 ? ` I follow what earlier runs taught: ${learned.join("; ")}.` : "");
      return {
        say: "One contract, three tasks with files of their own, one integration.",
        calls: [call("propose_plan", { ...planFor(goal, summary) })],
      };
    },
  ],
};

export const planChanged: Scene = {
  name: "plan changed",
  prompt: "[EVENT plan changed]",
  optional: true,
  steps: follow(({ seen }) => {
    const reason = sectionOf(seen.prompt, "Why the last plan was not accepted");
    const goal = sectionOf(seen.prompt, "Goal") || "Add user profiles";
    return {
      say: "This is a rehearsal, and its script knows this one plan. Edit it as you like before you approve it.",
      calls: [
        call("propose_plan", {
          ...planFor(
            goal,
            `You did not accept the first proposal (${startOf(reason, 300)}). This is a rehearsal whose script knows one plan: edit tasks, priorities or texts right here, then approve.`,
          ),
        }),
      ],
    };
  }),
};
