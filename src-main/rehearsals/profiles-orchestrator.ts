/** The orchestrator of the profiles rehearsal. */

import { startOf } from "#shared/domain/text/format-text.ts";
import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import type { Scene, Seen, Step } from "../model/stand-in/script.ts";
import { letsBothContinue } from "./default-scenes.ts";
import {
  acceptance,
  contract,
  contractTest,
  intent,
  keptAsGiven,
  type OwnerName,
  ownerLines,
  ownerLinesIn,
  paths,
} from "./profiles-wishes.ts";
import { call, follow, read, write, writtenPattern, writtenPlan } from "./reading.ts";

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

/** The name that an answer in anybody's words is nearest to. */
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
        calls: [call("propose_plan", { ...writtenPlan("profiles"), goal, summary })],
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
          ...writtenPlan("profiles"),
          goal,
          summary: `You did not accept the first proposal (${startOf(reason, 300)}). This is a rehearsal whose script knows one plan: edit tasks, priorities or texts right here, then approve.`,
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

const mergeRequestReady: Scene = {
  name: "merge request ready",
  prompt: "[EVENT merge request ready]",
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
      calls: [call("approve_merge_request", { comment: "As the task says." })],
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

const pattern = (name: string, category: string, confidence: number) => ({
  name,
  category,
  confidence,
  markdown: writtenPattern("profiles", name),
});
const askedEarly = pattern("ask-before-naming", "communication", 0.8);
const contractFirst = pattern("contract-before-parallel-work", "decomposition", 0.75);

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
  mergeRequestReady,
  letsBothContinue,
  learn,
];
