/** What the models say of a project: they read, change, try and judge it, in as few words as it takes. */
import { defineScript, type Scene, type Script, type Step } from "../../src-main/model/stand-in/script.ts";
import type { Plan } from "../../src-shared/domain/plan/plan.ts";
import type { Edit, RealProject, Work } from "./project.ts";

const call = (tool: string, input: Record<string, unknown>) => ({ tool, input });
const read = (path: string) => call("read_file", { path });
const done = (summary: string): Step => ({ calls: [call("report_done", { summary })] });

const pathsOf = ({ edits }: Work): readonly string[] => [...new Set(edits.map(({ path }) => path))];

const planOf = ({ goal, work }: RealProject): Plan => ({
  goal,
  summary: work.map(({ title }) => title).join("; "),
  orchestrators: { count: 1, reason: "The work is small." },
  contracts: { title: "Names", description: "None is shared.", files: [] },
  phases: [{ number: 1, title: "Work" }],
  tasks: work.map((one) => ({
    id: one.id,
    title: one.title,
    description: `${one.title}, with a test. Follow the manner of what is there.`,
    phase: 1,
    priority: "medium" as const,
    files: [...pathsOf(one)],
    after: [],
  })),
  integration: { title: "All together", description: "All checks pass." },
  budget: { tokens: null, microDollars: null },
});

const change = (edit: Edit): Step => ({
  calls: [
    "content" in edit
      ? call("write_file", { path: edit.path, content: edit.content })
      : call("edit_file", { path: edit.path, old_text: edit.from, new_text: edit.to }),
  ],
});

const works = (work: Work): readonly Step[] => {
  const there = [...new Set(work.edits.flatMap((edit) => ("from" in edit ? [edit.path] : [])))];
  return [
    ...(there.length > 0 ? [{ say: "I read what I change.", calls: there.map(read) }] : []),
    ...work.edits.map(change),
    { say: "I try it.", calls: [call("run_command", { command: work.command })] },
    done(work.title),
  ];
};

const again = (work: Work): readonly Step[] => [
  { say: "I look again.", calls: [call("run_command", { command: work.command })] },
  done(work.title),
];

export function scriptOf(project: RealProject): Script {
  const orchestrator: readonly Scene[] = [
    {
      name: "plan",
      prompt: /^\[EVENT plan(?: changed)?\]/u,
      steps: [
        { calls: [call("list_files", { path: "." })] },
        { calls: [call("propose_plan", { ...planOf(project) })] },
      ],
    },
    {
      name: "contracts",
      prompt: /^\[EVENT contracts\]/u,
      optional: true,
      steps: [done("Nothing is shared.")],
    },
    {
      name: "review",
      prompt: /^\[EVENT merge request ready\]/u,
      optional: true,
      steps: [{ calls: [call("approve_merge_request", { comment: "As asked, with a test." })] }],
    },
    { name: "learn", prompt: /^\[EVENT learn\]/u, optional: true, steps: [done("Nothing new.")] },
  ];
  const agent = project.work.flatMap((work): readonly Scene[] => {
    const isFirst = (prompt: string): boolean => !prompt.includes("## Last checks");
    return [
      {
        name: `${work.id} begins`,
        prompt: (seen) => seen.opening.includes(work.title) && isFirst(seen.prompt),
        steps: works(work),
      },
      {
        name: `${work.id} goes on`,
        prompt: (seen) => seen.opening.includes(work.title),
        optional: true,
        steps: again(work),
      },
    ];
  });
  return defineScript({
    name: project.name,
    routes: {
      "O-A-1": orchestrator,
      "agent-*": agent,
      "integrator*": [{ name: "brings together", optional: true, steps: [done("All is together.")] }],
      "validator-*": [
        {
          name: "judges",
          prompt: "[VALIDATE]",
          optional: true,
          steps: [
            { calls: project.work.map(({ command }) => call("run_command", { command })) },
            (seen) => ({
              calls: [
                call("cast_vote", {
                  vote: "approve",
                  commit: /^Commit: ([0-9a-f]+)/mu.exec(seen.prompt)?.[1] ?? "",
                  reason: "It does what was asked, and the new tests pass in this checkout.",
                }),
              ],
            }),
          ],
        },
      ],
    },
  });
}
