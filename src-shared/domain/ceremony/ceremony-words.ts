import { type Ceremony, type CeremonyPart, type CeremonyValues, ceremonyParts } from "./ceremony-parts.ts";

const valueWords: { readonly [Part in CeremonyPart]: Readonly<Record<CeremonyValues[Part], string>> } = {
  contracts: { write: "contracts first", none: "no contracts" },
  reviews: { each: "each task is reviewed", result: "one review, of the result" },
  integrator: {
    always: "an integrator",
    needed: "an integrator where needed",
    none: "no integrator",
  },
  seats: {
    all: "a panel of validators",
    "by-result": "validators by size and risk",
    one: "one validator",
    none: "no votes: you look at the result",
  },
  learning: { always: "learning", taught: "learning where it taught", never: "no learning" },
};

/** What a part comes to, in a few words. */
export function ceremonyWords(part: CeremonyPart, value: CeremonyValues[CeremonyPart]): string {
  const words: Readonly<Record<string, string>> = valueWords[part];
  return words[value] ?? value;
}

/** All of it in one line. */
export const ceremonyLine = (ceremony: Ceremony): string =>
  ceremonyParts.map((part) => ceremonyWords(part, ceremony[part].value)).join(", ");

/** A line for each part: its value as the configuration and the terminal take it, and why. */
export const ceremonyReasons = (ceremony: Ceremony): readonly string[] =>
  ceremonyParts.map((part) => `${part} ${ceremony[part].value}: ${ceremony[part].reason}`);
