/** Runs of one task whose result is judged as a test wants it, again and again. */
import type { Plan } from "#shared/domain/plan/plan.ts";
import { defineScript, type Scene, type Script, type Seen } from "../../model/stand-in/script.ts";
import { done, plan, rewrite, write } from "./three-agents-script.ts";

const oneTask: Plan = {
  ...plan,
  tasks: plan.tasks.filter(({ id }) => id === "store"),
};

export const attemptOf = (seen: Seen): number => Number(/attempt (\d+)/u.exec(seen.prompt)?.[1] ?? 0);
const judgedBy = (seen: Seen): string => /Commit: ([0-9a-f]+)/u.exec(seen.prompt)?.[1] ?? "";

export type Ballot = "approve" | "reject" | "abstain";

export const ballot = (seen: Seen, vote: Ballot, reason: string): ReturnType<typeof write> => ({
  calls: [{ tool: "cast_vote", input: { vote, commit: judgedBy(seen), reason } }],
});

/** @param says by attempt, counted from 1; null: it never answers */
export const seat = (says: (attempt: number, seen: Seen) => Ballot | null): readonly Scene[] => [
  {
    name: "votes",
    prompt: "[VALIDATE]",
    steps: [
      (seen) => {
        const vote = says(attemptOf(seen), seen);
        return vote === null
          ? { calls: [{ tool: "run_command", input: { command: "sleep 100" } }] }
          : ballot(
              seen,
              vote,
              vote === "approve" ? "It does what was asked." : `Round ${attemptOf(seen)}: no mail.`,
            );
      },
    ],
  },
];

const repairs: readonly Scene[] = [
  {
    name: "repairs",
    prompt: /Validators rejected the result|The validators reached no verdict/u,
    steps: [...rewrite("src/store.txt", "keeps users and mail\n"), done("Mail is kept now.")],
  },
];

/** One agent writes, an integrator repairs as often as it is asked, and the seats say what the test wants. */
export const judgedScript = (
  seats: Readonly<Record<string, readonly Scene[]>>,
  integrator: readonly Scene[] = repairs,
): Script =>
  defineScript({
    name: "judged",
    routes: {
      "O-A-1": [
        {
          name: "plan",
          prompt: /^\[EVENT plan(?: changed)?\]/u,
          steps: [{ calls: [{ tool: "propose_plan", input: { ...oneTask } }] }],
        },
      ],
      "agent-1": [
        { name: "works", steps: [write("src/store.txt", "keeps users\n"), done("The store keeps users.")] },
      ],
      integrator,
      ...seats,
    },
  });

/** What it writes passes its check where it works, thanks to a file that no commit holds. */
export const carelessIntegrator: readonly Scene[] = [
  {
    name: "repairs",
    prompt: "Validators rejected the result",
    steps: [write("src/cache.txt", "kept\n"), done("The cache is part of it.")],
  },
  {
    name: "brings together",
    steps: [
      write("src/index.txt", "the store\n"),
      { calls: [{ tool: "run_command", input: { command: "echo kept > src/cache.tmp" } }] },
      done("All is together."),
    ],
  },
];

/** What a user asks for comes with a file that no commit holds, until they ask for that as well. */
export const forgetfulIntegrator: readonly Scene[] = [
  {
    name: "keeps the cache",
    prompt: "Keep the cache.",
    steps: [write("src/cache.txt", "kept\n"), done("The cache is part of it.")],
  },
  {
    name: "writes the index",
    prompt: "Index it.",
    steps: [
      write("src/index.txt", "the store\n"),
      { calls: [{ tool: "run_command", input: { command: "echo kept > src/cache.tmp" } }] },
      done("There is an index now."),
    ],
  },
];

export const judgedFiles = (
  validation: readonly string[],
  ...more: readonly string[]
): Readonly<Record<string, string>> => ({
  "readme.md": "# Example\n",
  ".gitignore": "*.tmp\n",
  "check.sh": "! test -e src/index.txt || test -e src/cache.tmp || test -e src/cache.txt\n",
  ".hox/config.toml": [
    "[backpressure]",
    'fast_checks = ["sh check.sh"]',
    "slow_checks = []",
    'preflight = "off"',
    "[validation]",
    ...validation,
    ...more,
  ].join("\n"),
});
