/** Runs of one task whose result is judged as a test wants it, again and again. */
import type { Plan } from "#shared/domain/plan/plan.ts";
import {
  defineScript,
  type Scene,
  type Script,
  type ScriptedStep,
  type Seen,
} from "../../model/stand-in/script.ts";
import { done, plan, rewrite, write } from "./three-agents-script.ts";

const oneTask: Plan = {
  ...plan,
  tasks: plan.tasks.filter(({ id }) => id === "store"),
};

export const attemptOf = (seen: Seen): number => Number(/attempt (\d+)/u.exec(seen.prompt)?.[1] ?? 0);
export const judgedBy = (seen: Seen): string => /Commit: ([0-9a-f]+)/u.exec(seen.prompt)?.[1] ?? "";

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

/** One agent writes, an integrator repairs as often as it is asked, and the seats say what the test wants. */
export const judgedScript = (
  seats: Readonly<Record<string, readonly Scene[]>>,
  repairs: readonly ScriptedStep[] = [
    ...rewrite("src/store.txt", "keeps users and mail\n"),
    done("Mail is kept now."),
  ],
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
      integrator: [{ name: "repairs", prompt: "Validators rejected the result", steps: repairs }],
      ...seats,
    },
  });

export const judgedConfig = (
  validation: readonly string[],
  checks = "sh check.sh",
): Readonly<Record<string, string>> => ({
  "readme.md": "# Example\n",
  "check.sh": "! grep -rn BROKEN src\n",
  ".hox/config.toml": `[backpressure]\nfast_checks = ["${checks}"]\nslow_checks = []\nfirst_look = "off"\n[validation]\n${validation.join("\n")}\n[ceremony]\nseats = "all"\nlearning = "never"\n`,
});
