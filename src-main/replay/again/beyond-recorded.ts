/** What is said where a recording holds no more, and a run goes on all the same. */
import { startOf } from "#shared/domain/text/cut-text.ts";
import type { Scene, ScriptedStep, Seen, Step } from "../../model/stand-in/script.ts";
import type { RecordedRound } from "./recorded-rounds.ts";

const mostTurns = 2_000;
export const everyTurn = (step: ScriptedStep): readonly ScriptedStep[] =>
  Array.from({ length: mostTurns }, () => step);

const looks = "list_files";
/** What somebody says who was cut off here: it changes nothing, and what cuts it off comes between two of them. */
export const looksAround: Step = { calls: [{ tool: looks, input: { recursive: false } }], waitMs: 250 };

/** Its recorded answers end without an end: the last calls came to the same, and it was not asked again. */
export function wasCutOff({ answers }: RecordedRound, seen: Seen): boolean {
  const last = answers.at(-1);
  if (!seen.tools.includes(looks)) return false;
  if (!last) return true;
  return (
    last.results.length > 0 &&
    last.results.every(({ isError }, place) => isError === seen.results[place]?.isError)
  );
}

/** Why nothing is said. */
export function beyondWords(seen: Seen, round: RecordedRound | null): string {
  if (round === null) {
    const asked = seen.prompt.split("\n").filter((line) => line.trim() !== "");
    return `${seen.role} was asked what it was not asked then: ${asked.slice(0, 2).join(" ")}`;
  }
  const last = round.answers.at(-1);
  const place = (last?.results ?? []).findIndex(({ isError }, at) => isError !== seen.results[at]?.isError);
  const other = seen.results[place];
  return `${round.worker} was asked to go on where its recorded answers end${
    other ? `: ${other.tool} came to something else than then, ${startOf(other.output, 200)}` : "."
  }`;
}

const saysNothing = "nothing_to_say";
/** An archangel looks at what there is at its own times, and nobody waits for what it says. */
export const saysNothingTo = ({ tools }: Seen): boolean => tools.includes(saysNothing);
export const nothingMoreToSay = (isMore: (seen: Seen) => boolean, said: (seen: Seen) => void): Scene => ({
  name: "nothing more",
  prompt: (seen) => saysNothingTo(seen) && isMore(seen),
  steps: everyTurn((seen) => {
    said(seen);
    return { calls: [{ tool: saysNothing, input: {} }] };
  }),
  optional: true,
});
