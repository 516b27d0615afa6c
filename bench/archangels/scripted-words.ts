import type { Scene, Script, Step } from "../../src-main/model/stand-in/script.ts";
import { archangelWorker } from "../../src-shared/domain/archangel/archangel.ts";
import { plantedLine, type Seed } from "./seed.ts";

const nothing: Step = { calls: [{ tool: "nothing_to_say", input: {} }] };

const remark = (path: string, line: number, relation: string): readonly Step[] => [
  {
    calls: [
      {
        tool: "comment",
        input: { path, line, relation, text: "Scripted: something is wrong in this line." },
      },
    ],
  },
  nothing,
];

/**
 * Words that are wrong on purpose: the first mistake of each archangel is missed and its first clean change is blamed. So
 * what the benchmark then counts is known, and a harness that counts wrong shows.
 */
export const scriptedScore = (seeds: readonly Seed[]) => ({
  found: seeds.filter(({ expected }) => expected.length > 0).length - 1,
  missed: 1,
  falseAlarms: 1,
});

function scenesOf(seeds: readonly Seed[]): readonly Scene[] {
  const isFirst = (seed: Seed, isClean: boolean): boolean =>
    seeds.find(({ expected }) => (expected.length === 0) === isClean) === seed;
  return seeds.map((seed): Scene => {
    const planted = plantedLine(seed);
    const [relation] = seed.expected;
    const steps =
      planted === null || relation === undefined
        ? isFirst(seed, true)
          ? remark(seed.path, 1, "risk")
          : [nothing]
        : isFirst(seed, false)
          ? [nothing]
          : remark(seed.path, planted.line, relation);
    return { name: seed.name, prompt: `+++ b/${seed.path}`, steps };
  });
}

export const scriptedAnswers = (archangels: Readonly<Record<string, readonly Seed[]>>): Script => ({
  name: "archangels",
  routes: Object.fromEntries(
    Object.entries(archangels).map(([name, seeds]) => [archangelWorker(name), scenesOf(seeds)]),
  ),
});
