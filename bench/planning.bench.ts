import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { PlannedTask } from "#shared/domain/plan/plan.ts";
import { checkPlan } from "#shared/domain/plan/plan-check.ts";
import { editBetween } from "#shared/domain/symbols/changed-symbols.ts";
import type { Outlines } from "#shared/domain/symbols/outline.ts";
import { integratorCondition } from "#shared/domain/workflow/result-conditions.ts";
import { aPlan, aTask } from "#shared/testing/kit.ts";
import { readOutlines } from "../src-main/imports/read-symbols.ts";
import { createTestRepository } from "../src-main/jj/testing/create-test-repository.ts";
import type { LabelledFile, LabelledTask } from "./planning/example-tasks.ts";
import { labelledFiles } from "./planning/tasks.ts";
import { type Bench, type Row, row } from "./row.ts";

const example = join(import.meta.dirname, "../resources/rehearsal/profiles/example");

/** One pair of tasks of a file: what is so, and what each rule says. */
interface Pair {
  readonly names: string;
  readonly isConflict: boolean;
  readonly isSemantic: boolean;
  readonly warned: { readonly named: boolean; readonly inferred: boolean };
  /** Whether an integrator is asked, of a pair that merges. */
  readonly asked: boolean;
}

const patched = (text: string, { id, patch }: LabelledTask): string =>
  patch.reduce((now, [old, replacement]) => {
    if (now.split(old).length !== 2) throw new Error(`${id}: the old text is not there once: ${old}`);
    return now.replace(old, () => replacement);
  }, text);

function planned({ path }: LabelledFile, task: LabelledTask, isNamed: boolean): PlannedTask {
  const { id, title, description } = task;
  const symbols = task.symbols.map((name) => `${path}#${name}`);
  return aTask(id, { title, description, files: [path], ...(isNamed ? { symbols } : {}) });
}

const isWarned = (tasks: readonly PlannedTask[], outlines: Outlines): boolean =>
  checkPlan(aPlan({ tasks }), null, outlines).some(({ kind }) => kind === "overlap");

async function* pairsOf(file: LabelledFile): AsyncIterable<Pair> {
  const { path, tasks, semantic } = file;
  const text = file.text ?? (await readFile(join(example, path), "utf8"));
  const repo = await createTestRepository({ files: { [path]: text } });
  try {
    const version = async (of: string) => {
      const outline = (await readOutlines(new Map([[path, of]]), setImmediate)).get(path);
      if (!outline) throw new Error(`${path} does not parse.`);
      return { text: of, outline };
    };
    const before = await version(text);
    const outlines = new Map([[path, before.outline]]);
    const made = new Map<string, { readonly change: string; readonly text: string }>();
    for (const task of tasks) {
      const own = patched(text, task);
      const { changeId } = await repo.repository.newChange({
        ...{ parents: ["@-"], description: `${task.title}\n`, files: { [path]: own } },
      });
      made.set(task.id, { change: changeId, text: own });
    }
    const merged = async (task: LabelledTask) => ({
      task: task.id,
      files: new Set([path]),
      edits: new Map([[path, editBetween(before, await version(made.get(task.id)?.text ?? ""))]]),
      addedCode: task.patch
        .flatMap(([old, now]) => now.split("\n").filter((line) => !old.split("\n").includes(line)))
        .join("\n"),
    });
    for (const [index, one] of tasks.entries())
      for (const other of tasks.slice(index + 1)) {
        const changes = [one, other].map(({ id }) => made.get(id)?.change ?? "");
        const warned = (isNamed: boolean) =>
          isWarned(
            [one, other].map((task) => planned(file, task, isNamed)),
            outlines,
          );
        yield {
          names: `${one.id} and ${other.id}`,
          isConflict: (await repo.repository.trialMerge(changes)).length > 0,
          isSemantic: semantic.some((pair) => pair.includes(one.id) && pair.includes(other.id)),
          warned: { named: warned(true), inferred: warned(false) },
          asked:
            integratorCondition({
              failed: [],
              tasks: [await merged(one), await merged(other)],
              isBuiltOn: () => false,
            }) !== null,
        };
      }
  } finally {
    await repo.remove();
  }
}

/** Precision and recall of a rule, beside those of the rule by file, which names every pair. */
function rated(
  what: string,
  pairs: readonly Pair[],
  { isRight, says }: { readonly isRight: (pair: Pair) => boolean; readonly says: (pair: Pair) => boolean },
  least: { readonly precision: number; readonly recall: number },
): readonly Row[] {
  const [right, said] = [pairs.filter(isRight), pairs.filter(says)];
  const hits = said.filter(isRight).length;
  const missed = right.filter((pair) => !says(pair)).map(({ names }) => names);
  if (missed.length > 0) process.stderr.write(`${what} misses ${missed.join(", ")}\n`);
  const wrong = said.filter((pair) => !isRight(pair)).map(({ names }) => names);
  if (wrong.length > 0) process.stderr.write(`${what} names in vain ${wrong.join(", ")}\n`);
  const percent = (part: number, of: number): number => Math.round((100 * part) / Math.max(1, of));
  const precision = percent(hits, said.length);
  const recall = percent(hits, right.length);
  return [
    row({
      ...{ name: `${what}, ${pairs.length} pairs: precision`, value: precision, unit: "%" },
      ...{
        reference: percent(right.length, pairs.length),
        hold: `≥ ${least.precision} %; reference: by file`,
      },
      ok: precision >= least.precision,
    }),
    row({
      ...{ name: `${what}, ${pairs.length} pairs: recall`, value: recall, unit: "%" },
      ...{ reference: 100, hold: `≥ ${least.recall} %; reference: by file` },
      ok: recall >= least.recall,
    }),
  ];
}

/** How often a plan's warning and the condition of an integrator are right: pairs of tasks on one file, merged by jj. */
const bench: Bench = {
  name: "planning",
  async *run() {
    const pairs: Pair[] = [];
    for (const file of labelledFiles) for await (const pair of pairsOf(file)) pairs.push(pair);
    const isRight = ({ isConflict }: Pair) => isConflict;
    yield* rated(
      "plan's warning, symbols named",
      pairs,
      {
        isRight: ({ isConflict, isSemantic }) => isConflict || isSemantic,
        says: ({ warned }) => warned.named,
      },
      { precision: 60, recall: 50 },
    );
    yield* rated(
      "plan's warning for conflicts, symbols named",
      pairs,
      { isRight, says: ({ warned }) => warned.named },
      { precision: 50, recall: 95 },
    );
    yield* rated(
      "plan's warning for conflicts, symbols inferred",
      pairs,
      { isRight, says: ({ warned }) => warned.inferred },
      { precision: 20, recall: 70 },
    );
    yield* rated(
      "integrator after a clean merge",
      pairs.filter(({ isConflict }) => !isConflict),
      { isRight: ({ isSemantic }) => isSemantic, says: ({ asked }) => asked },
      { precision: 50, recall: 85 },
    );
  },
};

export default bench;
