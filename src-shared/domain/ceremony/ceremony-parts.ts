/** What each part may come to. */
export interface CeremonyValues {
  /** Whether shared names and files are written down before anybody begins. */
  readonly contracts: "write" | "none";
  /** Whether each task is reviewed by whom `fold.review` names, or only the result by its seats. */
  readonly reviews: "each" | "result";
  /** Whether an agent brings the tasks together in any case, only where something is left to do, or only for a conflict. */
  readonly integrator: "always" | "needed" | "none";
  /** All configured seats, one, as size and risk of the result ask for, or none: a person looks at the result. */
  readonly seats: "all" | "one" | "by-result" | "none";
  /** Whether the run is learned from in any case, only where it taught something, or never. */
  readonly learning: "always" | "taught" | "never";
}

export type CeremonyPart = keyof CeremonyValues;

export const ceremonyParts = ["contracts", "reviews", "integrator", "seats", "learning"] as const;

/** The values of each part, the one that asks for most first. */
export const ceremonyValues: { readonly [Part in CeremonyPart]: readonly CeremonyValues[Part][] } = {
  contracts: ["write", "none"],
  reviews: ["each", "result"],
  integrator: ["always", "needed", "none"],
  seats: ["all", "by-result", "one", "none"],
  learning: ["always", "taught", "never"],
};

/** As many seats as are drawn before anybody sits: the usual panel has four. */
export const seatsAhead = (seats: CeremonyValues["seats"] | undefined): number =>
  seats === "none" ? 0 : seats === "one" ? 1 : 4;

/** Who decided it: the plan and the repository by themselves, the plan's author, a person, or the configuration. */
type DecidedBy = "plan" | "planner" | "person" | "configuration";

export interface CeremonyChoice<Part extends CeremonyPart = CeremonyPart> {
  readonly value: CeremonyValues[Part];
  readonly by: DecidedBy;
  /** One sentence. May hold words of a model. */
  readonly reason: string;
}

export type Ceremony = { readonly [Part in CeremonyPart]: CeremonyChoice<Part> };

/** What the plan's author or a person wants of a part, in place of what the plan asks for by itself. */
export interface CeremonyWish<Part extends CeremonyPart = CeremonyPart> {
  readonly value: CeremonyValues[Part];
  readonly reason?: string | undefined;
  /** Absent: its author proposes it. */
  readonly by?: "person" | undefined;
}

export type CeremonyWishes = { readonly [Part in CeremonyPart]?: CeremonyWish<Part> | undefined };
