import {
  defineScript,
  type Scene,
  type Script,
  type ScriptedStep,
  type Seen,
  type Step,
} from "../../src-main/model/stand-in/script.ts";
import { lastResult } from "../../src-main/model/stand-in/testing/last-result.ts";
import type { Plan } from "../../src-shared/domain/plan/plan.ts";
import { entriesOf, type Ledger } from "./ledger.ts";
import { chance, seedOf } from "./random.ts";

/** The run's number is in its goal, and from there in every task and file. */
export const goalOf = (run: number): string => `Soak r${run}`;

const board = "shared/board.txt";
const contractOf = (run: number): string => `contracts/r${run}.txt`;

const call = (tool: string, input: Record<string, unknown>): Step => ({ calls: [{ tool, input }] });
const done = (summary: string): Step => call("report_done", { summary });

/** A scene whose every answer is worked out from the request. */
const always = (name: string, step: (seen: Seen) => Step, prompt?: Scene["prompt"]): Scene => ({
  name,
  ...(prompt === undefined ? {} : { prompt }),
  steps: Array.from({ length: 40 }, (): ScriptedStep => step),
  optional: true,
});

interface Soak {
  readonly agents: number;
  readonly ledger: Ledger;
  /** Luck that is the same for the same words. */
  readonly draw: (...words: readonly (string | number)[]) => ReturnType<typeof chance>;
}

const phaseOf = (index: number): number => (index % 8 === 7 ? 2 : 1);
const plan = ({ agents, draw }: Soak, run: number): Plan => ({
  goal: goalOf(run),
  summary: "Everybody works at once.",
  orchestrators: { count: 1, reason: "One is enough." },
  contracts: { title: "What all share", description: "One file.", files: [contractOf(run)] },
  phases: [{ number: 1, title: "Most" }, ...(agents > 7 ? [{ number: 2, title: "The rest" }] : [])],
  tasks: Array.from({ length: agents }, (_, index) => ({
    id: `t${index + 1}`,
    title: `Work on r${run}-t${index + 1}`,
    description: "As drawn.",
    phase: phaseOf(index),
    priority: draw(run, index).pick(["critical", "high", "medium", "low"] as const),
    files: [`work/r${run}/t${index + 1}`],
    after: [],
  })),
  integration: { title: "Bring it together", description: "No conflict is left." },
  budget: { tokens: null, microDollars: null },
});

const orchestrator = (soak: Soak): readonly Scene[] => [
  always("plan", (seen) => call("propose_plan", { ...plan(soak, runIn(seen)) }), /^\[EVENT plan\b/),
  always(
    "contracts",
    (seen) => {
      const run = runIn(seen);
      soak.ledger.take(run, seen);
      return seen.turn === 0
        ? call("write_file", { path: contractOf(run), content: `entry base-r${run}\n` })
        : done("The contract stands.");
    },
    /^\[EVENT contracts\]/,
  ),
  always(
    "question",
    (seen) => {
      const task = taskIn(seen.prompt);
      return soak.draw(task, "decides").below(3) === 0
        ? call("ask_user", { question: `What about ${task}?`, options: ["this", "that"] })
        : call("answer_agent", { agent: agentIn(seen), answer: `Go on with ${task}.` });
    },
    /^\[EVENT align-request\]/,
  ),
  always(
    "decision",
    (seen) => {
      const run = runIn(seen);
      const base = `entry base-r${run}`;
      return call("propose_mutation", {
        title: `A decision about ${taskIn(seen.prompt)}`,
        reason: "The user said so.",
        edits: [
          {
            path: contractOf(run),
            old_text: base,
            new_text: `${base}\nentry decision-${taskIn(seen.prompt)}`,
          },
        ],
      });
    },
    /^\[EVENT user answered\]/,
  ),
  always(
    "answer",
    (seen) => call("answer_agent", { agent: agentIn(seen), answer: "It is decided." }),
    /^\[EVENT mutation/,
  ),
  always(
    "review",
    (seen) => {
      const task = taskIn(seen.prompt);
      // Some have to come again, once.
      return seen.prompt.includes("Round 1.") && soak.draw(task, "reviews").below(4) === 0
        ? call("request_changes", { reason: `Once more, ${task}.` })
        : call("approve_merge_request", { comment: "Good." });
    },
    /^\[EVENT merge request ready\]/,
  ),
  always("told", () => done("Nothing to add."), /^\[EVENT (?:learn|message|conflict forecast)\]/),
];

const agent =
  (soak: Soak) =>
  (seen: Seen): Step => {
    const { ledger } = soak;
    const task = taskIn(seen.opening);
    const run = Number(/r(\d+)/.exec(task)?.[1]);
    const number = Number(/Iteration (\d+)/.exec(seen.opening)?.[1]);
    ledger.take(run, seen);
    const steps = [...mend(seen), ...iteration(soak, run, task, number), ...ending(soak, task, number)];
    const step = steps[seen.turns] ?? ({ say: "I look at it again." } satisfies Step);
    return ledger.ask(run, typeof step === "function" ? step(seen) : step);
  };

/** What an agent does in one iteration; in the first the most. */
const iteration = ({ draw }: Soak, run: number, task: string, number: number): readonly ScriptedStep[] => {
  const luck = draw(task, number);
  const folder = `work/r${run}/${task}`;
  const note = `${folder}/note-${number}.txt`;
  const steps: ScriptedStep[] = [
    call("write_file", { path: note, content: `note ${task} ${number}\n` }),
    {
      calls: [
        { tool: "read_file", input: { path: "readme.md" } },
        { tool: "run_command", input: { command: `ls work | wc -l; sleep 0.0${luck.below(10)}` } },
      ],
    },
  ];
  if (luck.below(2) === 0)
    steps.push(
      call("edit_file", {
        path: note,
        old_text: `note ${task} ${number}`,
        new_text: `note ${task} ${number} again`,
      }),
    );
  // A process that outlives its command must not outlive the tool.
  if (luck.below(3) === 0)
    steps.push(call("run_command", { command: "(sleep 600 >/dev/null 2>&1 &) ; echo begun" }));
  if (number > 1) return steps;
  if (luck.below(3) === 0) steps.push(...entry(board, "start", task));
  if (luck.below(4) === 0) steps.push(...entry(contractOf(run), `base-r${run}`, task));
  if (luck.below(4) === 0)
    steps.push(call("write_file", { path: `${folder}/state.txt`, content: "BROKEN\n" }));
  return steps;
};

const ending = ({ draw }: Soak, task: string, number: number): readonly ScriptedStep[] => {
  const luck = draw(task, "ends");
  const iterations = 2 + luck.below(2);
  const asks = luck.below(4);
  if (number === 1 && asks < 2)
    return [call("align_request", { question: `How is ${task} meant?`, options: [], blocking: asks === 0 })];
  return [number < iterations ? { say: "On to the next." } : done(`${task} is done.`)];
};

/** Agents that edit, run commands, collide, ask and finish, each as its task's name draws it. */
export function soakScript(options: {
  readonly seed: number;
  readonly agents: number;
  readonly ledger: Ledger;
}): Script {
  const { seed, ...rest } = options;
  const soak: Soak = { ...rest, draw: (...words) => chance(seedOf(seed, ...words)) };
  return defineScript({
    name: "soak",
    routes: {
      "O-*": orchestrator(soak),
      "agent-*": [always("works", agent(soak))],
      "integrator*": [
        always("brings together", (seen) => {
          const steps = [...mend(seen), done("All is together.")];
          const step = steps[seen.turns] ?? ({ say: "I look at it again." } satisfies Step);
          return typeof step === "function" ? step(seen) : step;
        }),
      ],
      "validator-*": [
        always("votes", (seen) =>
          call("cast_vote", {
            vote: "approve",
            commit: /Commit: ([0-9a-f]+)/.exec(seen.prompt)?.[1] ?? "",
            reason: "It is as it should be.",
          }),
        ),
      ],
    },
  });
}

/** Adds a separate entry below an existing one. */
const entry = (path: string, below: string, name: string): readonly ScriptedStep[] => [
  call("read_file", { path }),
  call("edit_file", { path, old_text: `entry ${below}\n`, new_text: `entry ${below}\nentry ${name}\n` }),
];

/** Reads each file that the prompt names as in conflict or failing, and writes it as it should be. */
function mend(seen: Seen): readonly ScriptedStep[] {
  const section = /^## Conflict[^\n]*\n([\s\S]*?)(?=^## |(?![\s\S]))/mu.exec(seen.opening)?.[1] ?? "";
  const conflicts = [...section.matchAll(/^- (\S+)$/gmu)].map((match) => match[1] ?? "");
  const broken = /(\S+\/state\.txt):\d+:BROKEN/u.exec(seen.opening)?.[1];
  return [...conflicts, ...(broken === undefined ? [] : [broken])].flatMap(
    (path): readonly ScriptedStep[] => [
      call("read_file", { path }),
      (now: Seen) =>
        call("write_file", {
          path,
          content:
            path === broken
              ? "mended\n"
              : entriesOf(lastResult(now, "read_file").output)
                  .map((one) => `entry ${one}\n`)
                  .join(""),
        }),
    ],
  );
}

const runIn = (seen: Seen): number =>
  Number(/\br(\d+)(?:-t\d+)?\b/.exec(seen.prompt)?.[1] ?? /\bSoak r(\d+)/.exec(seen.opening)?.[1]);
const taskIn = (text: string): string => /\br\d+-t\d+\b/.exec(text)?.[0] ?? "";
const agentIn = (seen: Seen): string =>
  /\b(agent-\d+) (?:now|still waits)/.exec(seen.prompt)?.[1] ?? /\bagent-\d+\b/.exec(seen.prompt)?.[0] ?? "";
