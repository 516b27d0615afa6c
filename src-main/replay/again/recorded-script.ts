/** The answers of a recorded run as a script: a model that says again what was said then. */
import type { Scene, Script, ScriptedStep, Seen, Step } from "../../model/stand-in/script.ts";
import { type NamesOfNow, withoutNames } from "./names-of-now.ts";
import type { RecordedRound } from "./recorded-rounds.ts";

export interface RecordedScript {
  readonly script: Script;
  /** What was asked in other words than then: who, and the first line that differs. */
  askedDifferently(): readonly AskedDifferently[];
  /** What nobody asked for again. */
  unasked(): readonly RecordedRound[];
}

export interface AskedDifferently {
  readonly worker: string;
  readonly recorded: string;
  readonly now: string;
}

export function recordedScript(rounds: readonly RecordedRound[], names: NamesOfNow): RecordedScript {
  const left = new Set(rounds);
  const chosen = new Map<string, RecordedRound>();
  const different: AskedDifferently[] = [];

  const roundFor = (seen: Seen): RecordedRound | null => {
    const key = JSON.stringify([seen.role, seen.turns - seen.turn, seen.prompt]);
    const known = chosen.get(key);
    if (seen.turn > 0 && known) return known;
    const found = mostAlike(left, seen) ?? known ?? null;
    if (!found) return null;
    left.delete(found);
    chosen.set(key, found);
    names.learn(found.prompt, seen.prompt);
    const difference = firstDifference(found.prompt, seen.prompt, names);
    if (difference) different.push({ worker: found.worker, ...difference });
    return found;
  };

  // The stand-in asks scene after scene whether it fits; which round a request is of is looked up once.
  let last: { readonly seen: Seen; readonly round: RecordedRound | null } | null = null;
  const isOf = (round: RecordedRound, seen: Seen): boolean => {
    if (last?.seen !== seen) last = { seen, round: roundFor(seen) };
    return last.round === round;
  };
  const scenes = rounds.map(
    (round, place): Scene => ({
      name: `${round.worker} ${place}`,
      prompt: (seen) => isOf(round, seen),
      steps: round.answers.map(
        (_, index): ScriptedStep =>
          (seen) =>
            answerNow(round, index, seen, names),
      ),
      optional: true,
    }),
  );
  return {
    script: { name: "recorded", routes: { "*": scenes } },
    askedDifferently: () => different,
    unasked: () => [...left],
  };
}

function answerNow({ answers }: RecordedRound, index: number, seen: Seen, names: NamesOfNow): Step {
  for (const [at, result] of (answers[index - 1]?.results ?? []).entries())
    names.learn(result, seen.results[at]?.output ?? "");
  return names.translate(answers[index]?.step ?? {});
}

/** Which of the ports an agent gets is chance as well. */
const comparable = (text: string): string => withoutNames(text).replaceAll(/(?<!\d)\d{4,5}(?!\d)/gu, "…");
const linesOf = (text: string): readonly string[] => comparable(text).split("\n");

/** Of the same worker the round with the same words; else, of those that begin alike, the one with the most lines in common. */
function mostAlike(left: Iterable<RecordedRound>, seen: Seen): RecordedRound | null {
  const [head = "", ...rest] = linesOf(seen.prompt);
  const own = new Set(rest);
  const all = [...left];
  const words = comparable(seen.prompt);
  const same = all.filter(({ prompt }) => comparable(prompt) === words);
  const exact = same.find(({ worker }) => worker === seen.role) ?? same[0];
  if (exact) return exact;
  let best: { readonly round: RecordedRound; readonly alike: number } | null = null;
  for (const round of all) {
    if (round.worker !== seen.role) continue;
    const [first = "", ...others] = linesOf(round.prompt);
    if (first !== head) continue;
    const alike = others.filter((line) => own.has(line)).length / Math.max(1, others.length, rest.length);
    if (best === null || alike > best.alike) best = { round, alike };
  }
  return best?.round ?? null;
}

function firstDifference(
  recorded: string,
  now: string,
  names: NamesOfNow,
): Omit<AskedDifferently, "worker"> | null {
  const [before, after] = [linesOf(names.translate(recorded)), linesOf(now)];
  const known = new Set(before);
  const place = after.findIndex((line) => !known.has(line));
  const missing = before.find((line) => !after.includes(line));
  if (place < 0 && missing === undefined) return null;
  return { recorded: missing ?? "", now: after[place] ?? "" };
}
