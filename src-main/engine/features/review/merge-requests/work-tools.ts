/**
 * Tools for an orchestrator to see work outside its own files: its agents' changes, what was merged, and
 * checks.
 */

import { z } from "zod";
import { isBlocking, outcomeText } from "#shared/domain/project/preflight.ts";
import { partsOf, shownName } from "#shared/domain/text/shown-text.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { Tool, ToolOutcome } from "../../../../tools/tool-interface.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import type { OrchestratorTool } from "../../../kernel/feature.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { workersBelow } from "../../../workers/hierarchy.ts";
import { checkRunner } from "../../../workspaces/check-options.ts";
import { environmentOf } from "../../../workspaces/port-leases.ts";
import { trunkOf } from "../../../workspaces/trunk.ts";

/** Characters of one part of a diff or a file. */
const partSize = 30_000;
/** Limit of a diff for review. */
const maxDiffLength = 4_000_000;

const of = z
  .string()
  .min(1)
  .max(200)
  .describe('Whose work: a worker below you, as in agent-2, or "merged" for what has been merged.');
const part = z
  .int()
  .min(1)
  .optional()
  .describe("Which part of a long one; default 1. The answer has the number of parts.");

const changesShape = z.strictObject({
  of,
  path: z.string().min(1).optional().describe("One file or folder; default: everything."),
  part,
});
const readShape = z.strictObject({
  of,
  path: z.string().min(1).describe("Relative to the repository."),
  part,
});

const failed = (output: string, error: "not-found" | "not-allowed" = "not-found"): ToolOutcome => ({
  ok: false,
  error,
  output,
});

const portion = (what: string, text: string, wanted: number): ToolOutcome => {
  const parts = partsOf(text, partSize);
  const shown = parts[wanted - 1];
  return shown === undefined
    ? failed(`${what} has ${parts.length} ${parts.length === 1 ? "part" : "parts"}.`)
    : { ok: true, output: `${what}, part ${wanted} of ${parts.length}\n${shown}` };
};

/** The commits that bound a worker's work; null if there is none. */
async function workOf(
  run: Run,
  name: string,
  whose: string,
): Promise<{ commit: string; from?: string } | null> {
  const commitOf = async (changeId: string): Promise<string> => (await readChange(run, changeId)).commitId;
  if (whose === "merged") {
    const tip = trunkOf(run, name).at(-1);
    const { base } = run.orchestratorFacts(name);
    if (tip === undefined || base === null) return null;
    return { commit: await commitOf(tip), from: await commitOf(base) };
  }
  const worker = workersBelow(run, name).find(({ record }) => record.name === whose);
  if (!worker || worker.record.changeId === null) return null;
  // A part's work is between its contracts and its merge.
  const base = roles[worker.record.role].isLead ? run.orchestratorFacts(whose).base : null;
  return {
    commit: await commitOf(worker.record.changeId),
    ...(base === null ? {} : { from: await commitOf(base) }),
  };
}

const noWork = (run: RunReader, name: string, whose: string): ToolOutcome =>
  failed(
    whose === "merged"
      ? "Nothing has been merged yet."
      : `${whose} has no change below you. There are: ${
          workersBelow(run, name)
            .filter(({ record }) => record.changeId !== null)
            .map(({ record }) => record.name)
            .join(", ") || "none"
        }.`,
  );

/** @param name the orchestrator above the work */
export const showChangesTool = (run: Run, name: string): Tool => ({
  name: "show_changes",
  description:
    "Shows the diff of a worker below you as it was last saved, or of all merged work, part by part: every part of it can be read. Use it before you approve, answer or judge.",
  input: changesShape,
  writes: false,
  async run(input) {
    const { of: whose, path, part: wanted = 1 } = changesShape.parse(input);
    const work = await workOf(run, name, whose);
    if (work === null) return noWork(run, name, whose);
    const paths = path === undefined ? {} : { paths: [path] };
    const diff = await run.repository.diff({ ...work, ...paths, limit: maxDiffLength });
    if (diff.trim() === "") return { ok: true, output: "(nothing is changed)" };
    const files = wanted === 1 && path === undefined ? await run.repository.diffFiles(work) : [];
    const what = `Changes of ${whose}${files.length === 0 ? "" : ` (${files.map(shownName).join(", ")})`}`;
    return portion(what, diff, wanted);
  },
});

const readWorkTool = (run: Run, name: string): Tool => ({
  name: "read_work",
  description:
    "Reads a file in the change of a worker below you, or in the merged work. Use it when a diff shows too little context.",
  input: readShape,
  writes: false,
  async run(input) {
    const { of: whose, path, part: wanted = 1 } = readShape.parse(input);
    const work = await workOf(run, name, whose);
    if (work === null) return noWork(run, name, whose);
    const texts = await run.repository.readTexts(work.commit, [path], { maxFileBytes: maxDiffLength });
    const text = texts.get(path);
    if (text === undefined) return failed(`${path} is no text file in the work of ${whose}.`);
    return portion(`${shownName(path)} of ${whose}`, text, wanted);
  },
});

const runChecksTool = (run: Run, name: string): Tool => ({
  name: "run_checks",
  description:
    "Runs the project's checks in your own workspace, which has your contracts, and returns each result. Use it before you report contracts as done.",
  input: z.strictObject({}),
  writes: true,
  async run(_, context) {
    const place = run.workspaces.of(name);
    if (place === null) return failed("You have no workspace.");
    const results = await checkRunner(run, name, place).run({
      iteration: 1,
      all: true,
      signal: context.signal,
      environment: environmentOf(run, name),
    });
    if (results.length === 0) return { ok: true, output: "(no checks are configured or found)" };
    const output = results
      .map(
        (one) =>
          `${one.name}: ${outcomeText[one.outcome]}${one.outcome === "passed" ? "" : ` (${one.command})\n${one.output}`}`,
      )
      .join("\n");
    return results.some(isBlocking) ? { ok: false, error: "command-failed", output } : { ok: true, output };
  },
});

/** They look, and fit every event. */
export const workTools: readonly OrchestratorTool<Run>[] = [
  { name: "show_changes", isAlwaysAllowed: true, make: showChangesTool },
  { name: "read_work", isAlwaysAllowed: true, make: readWorkTool },
  { name: "run_checks", isAlwaysAllowed: true, make: runChecksTool },
];
