/** Who decides about each part of the ceremony: the configuration, a person, the author of the plan, or the plan itself. */
import {
  type Ceremony,
  type CeremonyChoice,
  type CeremonyPart,
  type CeremonyValues,
  type CeremonyWish,
  type CeremonyWishes,
  ceremonyParts,
  ceremonyValues,
} from "./ceremony-parts.ts";

/** `[ceremony]` of the configuration, as far as it says what a run needs; `auto` leaves it to the plan. */
export interface CeremonyRules {
  readonly contracts: "auto" | "always" | "never";
  readonly reviews: "auto" | "always";
  readonly integrator: "auto" | "always";
  readonly seats: "auto" | "one" | "all";
  readonly learning: "auto" | "always" | "never";
}

/** What the configuration forces of a part, or null. */
export function forcedOf(rules: CeremonyRules): {
  readonly [Part in CeremonyPart]: CeremonyValues[Part] | null;
} {
  const { contracts, reviews, integrator, seats, learning } = rules;
  return {
    contracts: contracts === "auto" ? null : contracts === "always" ? "write" : "none",
    reviews: reviews === "auto" ? null : "each",
    integrator: integrator === "auto" ? null : "always",
    seats: seats === "auto" ? null : seats,
    learning: learning === "auto" ? null : learning,
  };
}

/** What holds of one part: what is forced, else what is wished and may be, else what the plan asks for by itself. */
export function decided<Part extends CeremonyPart>(
  part: Part,
  byPlan: CeremonyChoice<Part>,
  wishes: CeremonyWishes | undefined,
  forced: { readonly [Each in CeremonyPart]: CeremonyValues[Each] | null },
): CeremonyChoice<Part> {
  const value = forced[part];
  if (value !== null)
    return { value, by: "configuration", reason: `Set in .hox/config.toml (ceremony.${part}).` };
  const wish = wishes?.[part] as CeremonyWish<Part> | undefined;
  if (wish === undefined || (wish.by !== "person" && !mayPropose(part, wish.value, byPlan.value)))
    return byPlan;
  if (wish.by === "person")
    return { value: wish.value, by: "person", reason: wish.reason || "You chose it." };
  return wish.value === byPlan.value
    ? byPlan
    : { value: wish.value, by: "planner", reason: wish.reason || "The plan's author asks for it." };
}

/** Who plans the work does not take scrutiny from it; what tasks share it knows best. */
function mayPropose<Part extends CeremonyPart>(
  part: Part,
  wished: CeremonyValues[Part],
  asked: CeremonyValues[Part],
): boolean {
  const values: readonly CeremonyValues[Part][] = ceremonyValues[part];
  return part === "contracts" || values.indexOf(wished) <= values.indexOf(asked);
}

/** A person's choices put upon what the host said last, until it has looked again. */
export function withWishes(ceremony: Ceremony, wishes: CeremonyWishes | undefined): Ceremony {
  if (wishes === undefined) return ceremony;
  const put = <Part extends CeremonyPart>(part: Part): CeremonyChoice<Part> => {
    const wish = wishes[part] as CeremonyWish<Part> | undefined;
    const now = ceremony[part] as CeremonyChoice<Part>;
    return wish?.by === "person" && now.by !== "configuration"
      ? { value: wish.value, by: "person", reason: wish.reason || "You chose it." }
      : now;
  };
  return {
    contracts: put("contracts"),
    reviews: put("reviews"),
    integrator: put("integrator"),
    seats: put("seats"),
    learning: put("learning"),
  };
}

/** Whether two say the same. */
export const sameCeremony = (one: Ceremony | null, other: Ceremony | null): boolean =>
  one === other ||
  (one !== null &&
    other !== null &&
    ceremonyParts.every(
      (part) =>
        one[part].value === other[part].value &&
        one[part].by === other[part].by &&
        one[part].reason === other[part].reason,
    ));
