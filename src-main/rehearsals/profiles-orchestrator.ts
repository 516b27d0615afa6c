/** The orchestrator of the profiles rehearsal. */

import type { Plan } from "#shared/domain/plan/plan.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import type { Scene, Seen, Step } from "../model/stand-in/script.ts";
import {
  acceptance,
  contract,
  contractTest,
  intent,
  type OwnerName,
  ownerLines,
  ownerLinesIn,
  paths,
} from "./profiles-sources.ts";
import { keptAsGiven } from "./profiles-store-sources.ts";
import { call, follow, read, write } from "./reading.ts";

const contracts: Scene = {
  name: "contracts",
  prompt: "[EVENT contracts]",
  steps: follow(({ seen, files, refused }) => {
    const wanted: readonly (readonly [string, string])[] = [
      [paths.contract, contract],
      [paths.contractTest, contractTest],
      [paths.acceptance, acceptance],
      [paths.intent, intent],
    ];
    // A second run on the same copy finds the contract of the first and keeps it.
    const there = seen.history.findLast((one) => one.tool === "list_files")?.output.split("\n") ?? [];
    const missing = wanted.filter(
      ([path]) => !files.has(path) && !refused.has(path) && !there.includes(path),
    );
    if (missing.length > 0 && seen.turn < 3) {
      return {
        thinking:
          "The owner's field: stored rows are in snake case, the code in camel case. I leave the placeholder `user` and let the first who needs it ask, rather than guess for everyone.",
        say: "The contract, a test that holds it, the acceptance tests and a note of what we want and what we leave.",
        calls: missing.map(([path, content]) => write(path, content)),
      };
    }
    return {
      calls: [
        call("report_done", {
          summary: there.includes(paths.contract)
            ? "An earlier run left a contract and its tests; they stay as they are."
            : "The contract is in src/contracts/profile.js with its own test. acceptance/profiles.test.js says what the goal means and passes once the parts are wired. The field that names the user is still called `user`.",
        }),
      ],
    };
  }),
};

/** Titles of decisions that were taken in this conversation, oldest first. */
const decisionsIn = (seen: Seen): readonly string[] =>
  seen.history.flatMap((one) => {
    const input: unknown = one.input;
    return one.tool === "propose_mutation" &&
      !one.isError &&
      typeof input === "object" &&
      input !== null &&
      "title" in input
      ? [String(input.title)]
      : [];
  });

/** The agent that an event is about, from its text. */
function askerIn(seen: Seen): string {
  const named = /(?:^From: |question of |Answer )([\w-]+)|^([\w-]+) still waits/mu.exec(seen.prompt);
  return named?.[1] ?? named?.[2] ?? "agent-2";
}

const alignRequest: Scene = {
  name: "align-request",
  prompt: "[EVENT align-request]",
  steps: follow(({ seen }) => {
    const agent = askerIn(seen);
    const [decided] = decisionsIn(seen).slice(-1);
    if (decided !== undefined) {
      return {
        calls: [
          call("answer_agent", {
            agent,
            answer: `This is decided: ${decided}. Take the name from ${paths.contract} and write it out nowhere.`,
          }),
        ],
      };
    }
    const options = [...sectionOf(seen.prompt, "Options").matchAll(/^- (.+)$/gmu)].flatMap(
      (match) => match[1] ?? [],
    );
    return {
      thinking:
        "Both are defensible, and the name will be in exports and in every client. That is for the people who own the project.",
      say: "This name will be seen outside, in exports and by other clients. The user should choose it.",
      calls: [
        call("ask_user", {
          question:
            "What is the field for a profile's user called? Stored rows use snake case (created_at), the code uses camel case. The name will be part of the API and of exports.",
          options: options.length > 0 ? options : ["user_id", "userId"],
        }),
      ],
    };
  }),
};

const userAnswered: Scene = {
  name: "user answered",
  prompt: "[EVENT user answered]",
  steps: follow(({ seen, files }) => {
    const answered = sectionOf(seen.prompt, "Answer of the user") || seen.prompt;
    const name = nearestName(answered);
    const chosen = answered.includes(name)
      ? "The user chose it."
      : "A script knows these two names only; this is the nearer one to the user's answer.";
    const failed = seen.results.find((one) => one.tool === "propose_mutation" && one.isError);
    if (seen.turn === 0)
      return {
        say: `It is \`${name}\`. ${chosen} I'll read the current contract.`,
        calls: [read(paths.contract)],
      };
    const lines = ownerLinesIn(files.get(paths.contract) ?? "");
    if (failed || lines === null || lines === ownerLines.decided(name)) {
      return {
        calls: [
          call("answer_agent", {
            agent: askerIn(seen),
            answer: `The name is ${name}. Take it from ${paths.contract} and write it out nowhere.`,
          }),
        ],
      };
    }
    return {
      say: "One line in the contract binds all three. It goes below their work, so all of them get it at once.",
      calls: [
        call("propose_mutation", {
          title: `The owner of a profile is ${name}`,
          reason:
            (name === "user_id"
              ? "Stored rows are exported as they are and use snake case everywhere else (created_at). "
              : "The code and the client speak camel case, and the name appears in code far more often than in an export. ") +
            "One name on the wire and in storage means that nothing has to be translated. " +
            chosen,
          edits: [{ path: paths.contract, old_text: lines, new_text: ownerLines.decided(name) }],
        }),
      ],
    };
  }),
};

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

/** How the orchestrator of the profiles rehearsal plans. The name that a free-form answer is nearest to. */
export function nearestName(answer: string): OwnerName {
  const says = (name: string): number => answer.lastIndexOf(name);
  if (says("user_id") !== says("userId")) return says("user_id") > says("userId") ? "user_id" : "userId";
  const words = answer.toLowerCase();
  if (/camel/u.test(words) !== /snake|underscore/u.test(words))
    return /camel/u.test(words) ? "userId" : "user_id";
  return /userid|[a-z][A-Z]/u.test(answer) ? "userId" : "user_id";
}

const plan: Scene = {
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
        "First one contract that says what a profile is, then API, client and store at the same time, each in its own files. Wiring, the whole test and the README come at integration." +
        (learned.length > 0 ? ` I follow what earlier runs taught: ${learned.join("; ")}.` : "");
      return {
        say: "One contract, three tasks with files of their own, one integration.",
        calls: [call("propose_plan", { ...planFor(goal, summary) })],
      };
    },
  ],
};

const planChanged: Scene = {
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

const answerAfter = (name: string, answer: (seen: Seen) => string, optional: boolean): Scene => ({
  name,
  prompt: `[EVENT ${name}]`,
  optional,
  steps: follow(({ seen }) => ({
    calls: [call("answer_agent", { agent: askerIn(seen), answer: answer(seen) })],
  })),
});

const foldReady: Scene = {
  name: "fold ready",
  prompt: "[EVENT fold ready]",
  steps: follow(({ seen }) => {
    // The table keeps the very object that it was given, and answers a copy of it.
    if (sectionOf(seen.prompt, "Diff").includes(`+${keptAsGiven}`)) {
      return {
        thinking:
          "`put` answers a copy and keeps the caller's own object. A route that changes what it sent would change the store, and nothing would be saved. No test looks at it.",
        say: "It does what it should, but the table keeps what it is handed, so a caller can change a stored row by accident.",
        calls: [
          call("request_changes", {
            reason: `${paths.store}: \`put\` keeps the object that it is given. Whoever changes that object afterwards changes the stored row, without a save. Keep a copy, and add a test in ${paths.storeTest} that changes the object after it was put.`,
          }),
        ],
      };
    }
    return {
      say: "Its files are its own, the contract is imported and the checks passed where nothing of its folder could help.",
      calls: [call("approve_fold", { comment: "As the task says." })],
    };
  }),
};

const learn: Scene = {
  name: "learn",
  prompt: "[EVENT learn]",
  steps: follow(({ seen }) => {
    const decided =
      decisionsIn(seen).length > 0 &&
      !seen.history.some(
        (one) => one.tool === "answer_agent" && /not applied/u.test(JSON.stringify(one.input)),
      );
    return {
      say: "One thing is worth keeping.",
      calls: [call("propose_pattern", { ...(decided ? askedEarly : contractFirst) })],
    };
  }),
};

const askedEarly = {
  name: "ask-before-naming",
  category: "communication",
  confidence: 0.8,
  markdown: `---
evidence: align_requests >= 1, mutations >= 1
---
# Ask for a shared name before writing it out

When a contract leaves a name open that several tasks will write, the first agent to need it asks at once, with the
two candidates and where each comes from. One edit of the contract below all tasks then settles it for everyone.

- Agents import the name from the contract, so that a decision changes one line and not three files.
- The agent that had guessed corrected itself in one iteration, because the conflict showed both lines.
`,
};

const contractFirst = {
  name: "contract-before-parallel-work",
  category: "decomposition",
  confidence: 0.75,
  markdown: `---
evidence: agents >= 1, contract_files >= 1
---
# Write the contract before parallel work begins

One file says what the parts share, with a test of its own, and acceptance tests say what the goal means. Tasks that
import from it can be cut along files and meet at integration without surprises.
`,
};

export const orchestratorScenes: readonly Scene[] = [
  plan,
  planChanged,
  contracts,
  alignRequest,
  userAnswered,
  answerAfter(
    "mutation applied",
    (seen) =>
      `${decisionsIn(seen).at(-1) ?? "The name is decided"}. It is in ${paths.contract} now, below your work. Import the name from there instead of repeating it.`,
    false,
  ),
  answerAfter(
    "mutation rejected",
    () =>
      `The decision was not applied. Take the name from ${paths.contract} and write it out nowhere; then whatever it will be holds for you too.`,
    true,
  ),
  foldReady,
  learn,
];
