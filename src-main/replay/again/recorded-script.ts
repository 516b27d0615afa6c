/** The answers of a recorded run as a script: a model that says again what was said then. */
import type { Scene, Script, Seen, Step } from "../../model/stand-in/script.ts";
import {
  beyondWords,
  everyTurn,
  looksAround,
  nothingMoreToSay,
  saysNothingTo,
  wasCutOff,
} from "./beyond-recorded.ts";
import { type NamesOfNow, withoutNames } from "./names-of-now.ts";
import type { RecordedOrder } from "./recorded-order.ts";
import type { RecordedRound } from "./recorded-rounds.ts";

export interface RecordedScript {
  readonly script: Script;
  /** Resolves when the answer that a request gets is due. */
  turnOf(seen: Seen): Promise<void>;
  /** What was asked in other words than then: who, and the first line that differs. */
  askedDifferently(): readonly AskedDifferently[];
  /** What nobody asked for again. */
  unasked(): readonly RecordedRound[];
  /** Who was asked more often than then, and had nothing to say. */
  saidNothing(): ReadonlyMap<string, number>;
  /** Who was asked what the recording has no answer to, and why; null: nobody. */
  beyond(): string | null;
  /** Who waits for what cut its work off then. */
  waiting(): ReadonlySet<string>;
}

export interface AskedDifferently {
  readonly worker: string;
  readonly recorded: string;
  readonly now: string;
}

/** The place of a prompt in the order of a recording. */
export const promptId = (round: number): string => `prompt ${round}`;
/** The place of an answer in it. */
export const answerId = (round: number, answer: number): string => `answer ${round}/${answer}`;

interface RoundChoice {
  /** Which round a request is of; null: none. Looked up once for each request, however often it is asked. */
  roundFor(seen: Seen): RecordedRound | null;
  readonly places: ReadonlyMap<RecordedRound, number>;
  readonly left: ReadonlySet<RecordedRound>;
  readonly different: readonly AskedDifferently[];
  readonly waiting: Set<string>;
}

function chooseRounds(
  rounds: readonly RecordedRound[],
  names: NamesOfNow,
  order: Pick<RecordedOrder, "passed">,
): RoundChoice {
  const places = new Map(rounds.map((round, place) => [round, place]));
  const left = new Set(rounds);
  const chosen = new Map<string, RecordedRound>();
  const different: AskedDifferently[] = [];
  const waiting = new Set<string>();
  /** Whoever begins anew says nothing more of what was before. */
  const passOver = (found: RecordedRound): void => {
    waiting.delete(found.worker);
    for (const [round, place] of places)
      if (round !== found && round.worker === found.worker && !left.has(round))
        order.passed(...round.answers.map((_, index) => answerId(place, index)));
  };
  const choose = (seen: Seen): RecordedRound | null => {
    const key = JSON.stringify([seen.role, seen.turns - seen.turn, seen.prompt]);
    const known = chosen.get(key);
    if (seen.turn > 0 && known) return known;
    const found = mostAlike(left, seen) ?? known ?? null;
    if (!found) return null;
    left.delete(found);
    chosen.set(key, found);
    order.passed(promptId(places.get(found) ?? 0));
    passOver(found);
    names.learn(found.prompt, seen.prompt);
    const difference = firstDifference(found.prompt, seen.prompt, names);
    if (difference) different.push({ worker: found.worker, ...difference });
    return found;
  };
  const known = new WeakMap<Seen, { readonly round: RecordedRound | null }>();
  return {
    roundFor(seen) {
      const found = known.get(seen) ?? { round: choose(seen) };
      known.set(seen, found);
      return found.round;
    },
    places,
    left,
    different,
    waiting,
  };
}

export function recordedScript(
  rounds: readonly RecordedRound[],
  names: NamesOfNow,
  order: Pick<RecordedOrder, "turnOf" | "passed">,
): RecordedScript {
  const { roundFor, places, left, different, waiting } = chooseRounds(rounds, names, order);
  const saidNothing = new Map<string, number>();
  let beyond: string | null = null;
  const says =
    (round: RecordedRound, place: number) =>
    (seen: Seen): Step => {
      if (seen.turn < round.answers.length) {
        order.passed(answerId(place, seen.turn));
        return answerNow(round, seen.turn, seen, names);
      }
      waiting.add(round.worker);
      return looksAround;
    };
  const hasAnswer = (round: RecordedRound, seen: Seen): boolean =>
    seen.turn < round.answers.length || waiting.has(round.worker) || wasCutOff(round, seen);
  const scenes = rounds.map(
    (round, place): Scene => ({
      name: `${round.worker} ${place}`,
      prompt: (seen) => roundFor(seen) === round && hasAnswer(round, seen),
      steps: everyTurn(says(round, place)),
      optional: true,
    }),
  );
  const more = nothingMoreToSay(
    (seen) => roundFor(seen) === null,
    ({ role }) => saidNothing.set(role, (saidNothing.get(role) ?? 0) + 1),
  );
  return {
    script: { name: "recorded", routes: { "*": [...scenes, more] } },
    async turnOf(seen) {
      const round = roundFor(seen);
      if (round ? !hasAnswer(round, seen) : !saysNothingTo(seen)) beyond ??= beyondWords(seen, round);
      if (round) await order.turnOf(answerId(places.get(round) ?? 0, seen.turn));
    },
    askedDifferently: () => different,
    unasked: () => [...left],
    saidNothing: () => saidNothing,
    waiting: () => waiting,
    beyond: () => beyond,
  };
}

function answerNow({ answers }: RecordedRound, index: number, seen: Seen, names: NamesOfNow): Step {
  for (const [at, result] of (answers[index - 1]?.results ?? []).entries())
    names.learn(result.output, seen.results[at]?.output ?? "");
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
