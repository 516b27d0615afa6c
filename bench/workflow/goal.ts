/**
 * Goals of one, two and more tasks on a small repository, with words as long as models write them. What is said depends
 * on nothing but what was asked, so the same words are said whatever Hox asks for and however often.
 */
import {
  defineScript,
  type Scene,
  type Script,
  type Seen,
  type Step,
} from "../../src-main/model/stand-in/script.ts";
import type { Plan } from "../../src-shared/domain/plan/plan.ts";
import { type Part, partsOf, source, test } from "./project.ts";

const descriptionOf = ({ word, read, write, file, test: testFile }: Part): string =>
  `Write ${file} in the manner of src/receipt.js: \`${read}(text)\` reads one ${word} and answers with its fields in the order of the file, \`${write}(record)\` writes it so that reading gives the same record again. A ${word} needs number, date and amount; amounts are whole cents and may be negative; fields that nobody knows are kept. What cannot be read is refused with a RangeError that names the line and what was expected. Test it in ${testFile}: reading, writing and reading again also for amounts below nothing, and each refusal. Import nothing of the project, and touch no other file.`;

const goalOf = (parts: readonly Part[]): string =>
  `Read and write ${parts.length === 1 ? "one more format" : `${parts.length} more formats`}: ${parts.map(({ word }) => word).join(", ")}. Each in a module of its own like src/receipt.js, with its test.`;

/** @param together one agent does it all in one task */
function planOf(parts: readonly Part[], together: boolean): Plan {
  const tasks = together && parts.length > 1 ? [parts] : parts.map((part) => [part]);
  return {
    goal: goalOf(parts),
    summary: `The repository has one module for each format and no module imports another one, so every format is a piece of its own: ${parts.map(({ file }) => file).join(", ")}. Each follows src/receipt.js in its names, its errors and its tests. Nothing is shared between them but the manner, which stands in the README.`,
    orchestrators: { count: 1, reason: "The pieces are small and have nothing to do with each other." },
    contracts: {
      title: "How a format is read and written",
      description:
        "What the README says holds for every format: two functions, a RangeError that names the line, whole cents, ISO dates, unknown fields kept in their order. A page in docs repeats it for whoever writes the next one.",
      files: ["docs/formats.md"],
    },
    phases: [{ number: 1, title: "Formats" }],
    tasks: tasks.map((those, at) => ({
      id: those[0]?.word ?? `part-${at + 1}`,
      title: together ? "All formats" : `Read and write ${those[0]?.word}`,
      description: those.map(descriptionOf).join("\n\n"),
      phase: 1,
      priority: "medium" as const,
      files: those.flatMap(({ file, test: testFile }) => [file, testFile]),
      after: [],
    })),
    integration: {
      title: "All formats together",
      description:
        "See that every format has its module and its test, that names and errors agree with those of the receipt, and that all tests pass together.",
    },
    budget: { tokens: null, microDollars: null },
  };
}

const call = (tool: string, input: Record<string, unknown>) => ({ tool, input });
const read = (path: string) => call("read_file", { path });
const run = (command: string) => call("run_command", { command });
const done = (summary: string): Step => ({ calls: [call("report_done", { summary })] });

const formats = `# Formats

Every format has one module in src and one test in test. The module has two functions:

- \`parse…(text)\` answers with the record: its fields in the order of the file, amounts in whole cents. It throws a
  RangeError that names the line and what was expected there.
- \`format…(record)\` writes it, so that reading what was written gives the same record again.

number, date and amount are needed. Dates are days as ISO 8601 writes them. Amounts have two digits after the point and
may be below nothing. A field that nobody knows is kept, in its order. A field that stands there twice is refused.
Nothing is imported from another format: two of them may differ one day, and then each changes alone.
`;

/** Work on some parts as one agent does it: look, write, test, tell. */
function stepsFor(parts: readonly Part[]): readonly Step[] {
  return [
    {
      thinking:
        "The task names a module to follow. I read it and its test before I write anything, and the README for what holds for every format: errors, cents, the order of fields.",
      say: "I look at the module that mine shall follow, its test and the README.",
      calls: [read("src/receipt.js"), read("test/receipt.test.js"), read("README.md")],
    },
    ...parts.flatMap((part): readonly Step[] => [
      {
        thinking: `Same shape as the receipt: a required list, one loop over the lines, a helper for cents and one for writing them. The words of the errors name the ${part.word}. A negative amount below one needs its sign kept, so the sign is matched apart from the digits.`,
        say: `The module for the ${part.word}, in the manner of src/receipt.js.`,
        calls: [call("write_file", { path: part.file, content: source(part) })],
      },
      {
        say: "Its test: reading, writing and reading again with amounts below nothing, and each refusal with the words that a user would see.",
        calls: [call("write_file", { path: part.test, content: test(part) })],
      },
      { say: "I run it alone first.", calls: [run(`node --test ${part.test}`)] },
    ]),
    { say: "Now everything, to see that nothing else broke.", calls: [run("node --test")] },
    done(
      `${
        parts.length > 8
          ? `${parts.map(({ file }) => file).join(", ")} read and write one each, in the manner of src/receipt.js. The tests beside them cover reading, writing and reading again with amounts of both signs, and the four refusals.`
          : parts
              .map(
                (part) =>
                  `${part.file} reads and writes one ${part.word} with ${part.read} and ${part.write}, in the manner of src/receipt.js. ${part.test} covers reading, writing and reading again with amounts of both signs, and the four refusals.`,
              )
              .join(" ")
      } I ran node --test: all tests pass. Nothing else was touched.`,
    ),
  ];
}

const commitIn = (seen: Seen): string => /^Commit: ([0-9a-f]+)/mu.exec(seen.prompt)?.[1] ?? "";

const judge = (parts: readonly Part[]): readonly Scene[] => [
  {
    name: "judges",
    prompt: "[VALIDATE]",
    steps: [
      {
        thinking: "I judge from my evidence first and then look whether the files say the same.",
        say: "I read what is new beside what it should follow, and run the tests in this checkout.",
        calls: [
          read("src/receipt.js"),
          ...parts.slice(0, 3).flatMap(({ file, test: path }) => [read(file), read(path)]),
        ],
      },
      { say: "Now the tests, and the check.", calls: [run("node --test"), run("sh check.sh")] },
      (seen) => ({
        calls: [
          call("cast_vote", {
            vote: "approve",
            commit: commitIn(seen),
            reason: `${parts.length === 1 ? "The module" : `All ${parts.length} modules`} that the goal asks for ${parts.length === 1 ? "is" : "are"} there, each with two functions in the manner of src/receipt.js and a test that would fail on a lost sign or a missing field. node --test and check.sh pass in this checkout. I tried a field that stands there twice and an amount with a comma: both are refused with their line.`,
          }),
        ],
      }),
    ],
  },
];

const orchestrator = (plan: Plan): readonly Scene[] => [
  {
    name: "plan",
    prompt: /^\[EVENT plan(?: changed)?\]/u,
    steps: [
      {
        say: "I read the project before I cut it up.",
        calls: [call("list_files", { path: "." }), read("README.md"), read("package.json")],
      },
      {
        thinking:
          "One module a format, no imports between them: each can be done alone. The manner is set by receipt.js, so I look at it once and name it in every task.",
        say: "Every format stands alone. I look at the one that sets the manner.",
        calls: [read("src/receipt.js"), read("test/receipt.test.js")],
      },
      { say: "One task for each format, side by side.", calls: [call("propose_plan", { ...plan })] },
    ],
  },
  {
    name: "contracts",
    prompt: /^\[EVENT contracts\]/u,
    optional: true,
    steps: [
      {
        say: "What holds for every format, on one page.",
        calls: [call("write_file", { path: "docs/formats.md", content: formats })],
      },
      done(
        "docs/formats.md says what holds for every format: two functions, errors with their line, whole cents, ISO days, unknown fields kept. Nobody imports anything of anybody.",
      ),
    ],
  },
  {
    name: "review",
    prompt: /^\[EVENT merge request ready\]/u,
    optional: true,
    steps: [
      {
        thinking:
          "The diff is the module and its test and nothing else. I check the sign of amounts below one and that a field which stands twice is refused.",
        say: "I compare it with the module that it should follow.",
        calls: [read("src/receipt.js")],
      },
      {
        calls: [
          call("approve_merge_request", {
            comment:
              "It does the task and nothing beside it: two functions in the manner of src/receipt.js, errors that name their line, the sign of small amounts kept. The test would fail on a lost sign, a missing field and a field that stands there twice.",
          }),
        ],
      },
    ],
  },
  {
    name: "learn",
    prompt: /^\[EVENT learn\]/u,
    optional: true,
    steps: [
      {
        thinking:
          "Nothing met, nothing was asked, nothing was decided again. There is nothing here that another repository would gain from.",
        ...done(
          "Nothing of this run is worth keeping for others: the tasks stood apart, each followed one module that was there, and nothing was asked or decided on the way.",
        ),
      },
    ],
  },
];

const integrator = (parts: readonly Part[]): readonly Scene[] => [
  {
    name: "brings together",
    optional: true,
    steps: [
      {
        thinking: "No markers. I see whether names and errors agree, and whether the tests pass together.",
        say: "I look at what came together.",
        calls: [call("list_files", { path: "." }), ...parts.slice(0, 4).map(({ file }) => read(file))],
      },
      { say: "All tests together, and the check.", calls: [run("node --test"), run("sh check.sh")] },
      done(
        `The formats lie beside each other without a conflict, and none imports another. Names and errors agree with src/receipt.js. I ran node --test and check.sh: everything passes. Nothing had to be wired or repaired.`,
      ),
    ],
  },
];

/** @param together one agent does it all, as one would alone */
export function goalScript(count: number, together: boolean): Script {
  const parts = partsOf(count);
  return defineScript({
    name: "goal",
    routes: {
      "O-A-1": orchestrator(planOf(parts, together)),
      ...(together
        ? { "agent-*": [{ name: "works", steps: stepsFor(parts) }] }
        : Object.fromEntries(
            parts.map((part, at) => [`agent-${at + 1}`, [{ name: "works", steps: stepsFor([part]) }]]),
          )),
      "integrator*": integrator(parts),
      "validator-*": judge(parts),
    },
  });
}

export const goal = (count: number): string => goalOf(partsOf(count));
