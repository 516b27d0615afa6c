/**
 * What a goal needs beside its agents: contracts, reviews, an integrator, seats, learning. One pure function says it from
 * the plan, what the repository says and the configuration, each with its reason; what only the result shows (whether
 * something is left to integrate, how large and risky it is, whether the run taught anything) is said by
 * `ceremony-result.ts`. Deterministic checks are no part of it: they run whatever it says. (docs/decisions/0012)
 */

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
import type { ImportGraph } from "./imports/import-graph.ts";
import type { Plan, PlannedTask } from "./plan.ts";
import { checkPlan, mayMeet, sideBySide } from "./plan-check.ts";
import { tasksById } from "./plan-order.ts";
import { shownName } from "./shown-text.ts";

/** `[ceremony]` of the configuration, as far as it says what a run needs; `auto` leaves it to the plan. */
export interface CeremonyRules {
  readonly contracts: "auto" | "always" | "never";
  readonly reviews: "auto" | "always";
  readonly integrator: "auto" | "always";
  readonly seats: "auto" | "one" | "all";
  readonly learning: "auto" | "always" | "never";
}

/** What the repository says about a plan. */
export interface CeremonyGround {
  /** Names and paths of the plan that stand in the repository already: who uses them has them to read. */
  readonly known: ReadonlySet<string>;
  readonly imports: ImportGraph | null;
  /** A part's result is reviewed by its parent as one. */
  readonly isPart: boolean;
}

/**
 * What a run, or a part of one, needs. (docs/decisions/0012)
 *
 * The configuration forces; else a person's wish holds; else the author's, who may ask for more than the plan does, and
 * for less only of contracts; else what the plan and the repository say.
 */
export function ceremonyOf(plan: Plan, ground: CeremonyGround, rules: CeremonyRules): Ceremony {
  const byPlan = askedByPlan(plan, ground);
  const forced = forcedOf(rules);
  return {
    contracts: decided("contracts", byPlan.contracts, plan.ceremony, forced),
    reviews: decided("reviews", byPlan.reviews, plan.ceremony, forced),
    integrator: decided("integrator", byPlan.integrator, plan.ceremony, forced),
    seats: decided("seats", byPlan.seats, plan.ceremony, forced),
    learning: decided("learning", byPlan.learning, plan.ceremony, forced),
  };
}

/** Everything there is, for runs that began before there was a choice. */
export const fullCeremony: Ceremony = (() => {
  const reason = "The run began with all of it.";
  return {
    contracts: { value: "write", by: "plan", reason },
    reviews: { value: "each", by: "plan", reason },
    integrator: { value: "always", by: "plan", reason },
    seats: { value: "all", by: "plan", reason },
    learning: { value: "always", by: "plan", reason },
  };
})();

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

function decided<Part extends CeremonyPart>(
  part: Part,
  byPlan: CeremonyChoice<Part>,
  wishes: CeremonyWishes | undefined,
  forced: { readonly [Each in CeremonyPart]: CeremonyValues[Each] | null },
): CeremonyChoice<Part> {
  const value = forced[part];
  if (value !== null)
    return { value, by: "configuration", reason: `ceremony.${part} of .hox/config.toml says so.` };
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

function askedByPlan(plan: Plan, ground: CeremonyGround): Ceremony {
  const { tasks } = plan;
  const shared = sharedBetween(plan, ground);
  const unowned = unownedByTasks(plan);
  const [first] = shared;
  return {
    contracts: {
      by: "plan",
      value: first ? "write" : "none",
      reason: first
        ? `${first.text}${shared.length > 1 ? `, and ${shared.length - 1} more like that` : ""}.`
        : tasks.length < 2
          ? "One task shares nothing with anybody."
          : "No tasks side by side name anything in common that the repository does not have yet.",
    },
    reviews: reviewsAsked(plan, shared.length > 0, ground.isPart),
    integrator:
      unowned === null
        ? {
            by: "plan",
            value: "needed",
            reason:
              tasks.length < 2
                ? "One task has nothing to be brought together with, unless a check fails."
                : "Said after the merge: a conflict, a failed check, or a name that several tasks touch.",
          }
        : {
            by: "plan",
            value: "always",
            reason: `The integration is to work on ${shownName(unowned)}, which is no task's.`,
          },
    seats: { by: "plan", value: "by-result", reason: "One, and all where the result is large or risky." },
    learning: {
      by: "plan",
      value: "taught",
      reason: "Only after a conflict, a repair, a question, an override or a rejected review.",
    },
  };
}

/** So many tasks can be judged in one look at what they come to. */
const oneLook = 3;

/** A review of its own is for work that others build on, or that would be lost in the result. */
function reviewsAsked({ tasks }: Plan, isShared: boolean, isPart: boolean): CeremonyChoice<"reviews"> {
  const asResult = (reason: string) => ({ by: "plan", value: "result", reason }) as const;
  const judges = isPart ? "its parent reviews that" : "its seats judge that";
  if (tasks.length < 2)
    return asResult(`One task is the whole ${isPart ? "part" : "result"}, and ${judges}.`);
  const each = (reason: string) => ({ by: "plan", value: "each", reason }) as const;
  const [first] = tasks;
  if (isShared || tasks.some(({ after, phase }) => after.length > 0 || phase !== first?.phase))
    return each("What one task leaves, others build on.");
  if (tasks.length > oneLook || tasks.some(({ delegate }) => delegate === true))
    return each("The result is too much for one look.");
  return asResult(`Nobody builds on another's work, and ${tasks.length} tasks are one look: ${judges}.`);
}

/** Something that two tasks side by side need and neither owns alone. */
export interface Shared {
  readonly tasks: readonly string[];
  readonly text: string;
}

/** What tasks side by side share: a file, an import, a contract file, a name or a path that is not there yet. */
export function sharedBetween(
  plan: Plan,
  { known, imports }: Omit<CeremonyGround, "isPart">,
): readonly Shared[] {
  const byId = tasksById(plan);
  const meeting = checkPlan(plan, imports)
    .filter(({ kind }) => kind === "overlap" || kind === "import")
    .map(({ tasks, text }) => ({ tasks, text: text.split(". ")[0]?.replace(/\.$/u, "") ?? text }));
  const named = new Map(plan.tasks.map((task) => [task.id, namesIn(wordsOf(task))]));
  // A name that stands in the goal itself, as that of the project, is nobody's to define.
  const inGoal = namesIn(plan.goal);
  const isOwnText = (name: string): boolean => !/[/_.]/u.test(name) && inGoal.has(name);
  const pairs = sideBySide(plan, byId).flatMap(([one, other]) => {
    const both = [...(named.get(one.id) ?? [])].filter(
      (name) => named.get(other.id)?.has(name) && !known.has(name) && !isOwnText(name),
    );
    const [first] = both;
    const more = both.length > 1 ? ` and ${both.length - 1} more ${both.length > 2 ? "names" : "name"}` : "";
    return first === undefined
      ? []
      : [
          {
            tasks: [one.id, other.id],
            text: `"${one.id}" and "${other.id}" both need ${shownName(first)}${more}`,
          },
        ];
  });
  const contracts = plan.contracts.files.flatMap((file) => {
    const users = plan.tasks.filter((task) => speaksOf(task, file)).map(({ id }) => id);
    return users.length < 2
      ? []
      : [{ tasks: users, text: `${users.map((id) => `"${id}"`).join(", ")} build on ${shownName(file)}` }];
  });
  return [...meeting, ...contracts, ...pairs];
}

/** Names and paths that two tasks side by side speak of: those worth looking for in the repository. */
export function namesToLookFor(plan: Plan): readonly string[] {
  const named = new Map(plan.tasks.map((task) => [task.id, namesIn(wordsOf(task))]));
  return [
    ...new Set(
      sideBySide(plan, tasksById(plan)).flatMap(([one, other]) =>
        [...(named.get(one.id) ?? [])].filter((name) => named.get(other.id)?.has(name)),
      ),
    ),
  ];
}

const wordsOf = (task: PlannedTask): string => `${task.title}\n${task.description}`;

/** Names of things that are spelled like names of code by those who write no code. */
const ordinary = new Set(
  "JavaScript TypeScript GitHub GitLab PostgreSQL MySQL SQLite MongoDB OpenAPI GraphQL WebSocket WebAssembly DevOps macOS iOS iPhone YouTube LinkedIn OAuth JQuery NodeJs RangeError TypeError ValueError KeyError".split(
    " ",
  ),
);

/**
 * Names of code, paths and routes in words of a plan: what stands in backquotes or is spelled as code is.
 * Words of a language are none.
 */
export function namesIn(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (name: string): void => {
    const bare = name.replace(/\(.*$/su, "").replace(/[.,;:]+$/u, "");
    if (bare.length >= 3 && !ordinary.has(bare)) names.add(bare);
  };
  for (const [, span = ""] of text.matchAll(/`([^`\n]{2,120})`/gu))
    if (/^[\p{L}_$][\p{L}\p{N}_$]*(?:[.:]+[\p{L}_$][\p{L}\p{N}_$]*)*(?:\(.*\))?$/u.test(span)) add(span);
  // Inside backquotes as outside: camelCase, PascalCase of two words, snake_case, a call, a path, a route.
  for (const [name] of text.matchAll(/[\p{L}\p{N}_$./:{}@-]+\(?/gu)) {
    if (/^[\p{L}_$][\p{L}\p{N}_$]{2,}\($/u.test(name)) add(name);
    else if (/^\/[\p{L}_]/u.test(name) || /^[\p{L}\p{N}_.@-]+(?:\/[\p{L}\p{N}_.@-]+)+\/?$/u.test(name)) {
      if (!/^\p{N}+\/|^(?:and|or)\//u.test(name)) add(name);
    } else if (/^[\p{L}\p{N}_-]+\.[a-z]{1,5}$/u.test(name)) add(name);
    else if (/^(?:[a-z][a-z0-9]*[A-Z]|[A-Z][a-z0-9]+[A-Z])[A-Za-z0-9]*[.,:]?$/u.test(name)) add(name);
    else if (/^[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+[.,:]?$/u.test(name)) add(name);
  }
  return names;
}

/** File names that say nothing about what is in them. */
const plain = new Set(
  "index main types type common shared utils util contract contracts api core lib mod test tests".split(" "),
);

/** Whether a task names a file, by its path, its name, or the word that its name is. */
function speaksOf(task: PlannedTask, file: string): boolean {
  if (task.files.some((claim) => mayMeet(claim, file))) return true;
  const text = wordsOf(task).toLowerCase();
  const path = file.toLowerCase().replace(/\/$/u, "");
  const name = path.split("/").at(-1) ?? path;
  const stem = name.replace(/\..*$/u, "");
  const says = (word: string): boolean =>
    new RegExp(
      `(?<![\\p{L}\\p{N}_])${word.replaceAll(/[.*+?^${}()|[\]\\/]/gu, "\\$&")}(?![\\p{L}\\p{N}_])`,
      "u",
    ).test(text);
  // Where the plan speaks of "the contract", it means what stands there.
  return (
    says(path) ||
    says(name) ||
    (stem.length >= 4 && !plain.has(stem) && says(stem)) ||
    says("contract") ||
    says("contracts")
  );
}

/** A path of which the integration speaks and that no task and no contract may touch; null when there is none. */
function unownedByTasks(plan: Plan): string | null {
  if (plan.integration === null) return null;
  const claims = [...plan.contracts.files, ...plan.tasks.flatMap(({ files }) => files)];
  const paths = [...namesIn(`${plan.integration.title}\n${plan.integration.description}`)].filter(
    (name) => !name.startsWith("/") && (name.includes("/") || /\.[a-z]{1,5}$/u.test(name)),
  );
  return paths.find((path) => !claims.some((claim) => mayMeet(claim, path))) ?? null;
}

/** The plan without what its author says in a person's name. */
export function asProposed(plan: Plan): Plan {
  const { ceremony, ...rest } = plan;
  if (ceremony === undefined) return plan;
  return {
    ...rest,
    ceremony: Object.fromEntries(
      Object.entries(ceremony).flatMap(([part, wish]) =>
        wish === undefined ? [] : [[part, { value: wish.value, reason: wish.reason }]],
      ),
    ),
  };
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

const valueWords: { readonly [Part in CeremonyPart]: Readonly<Record<CeremonyValues[Part], string>> } = {
  contracts: { write: "contracts first", none: "no contracts" },
  reviews: { each: "each task is reviewed", result: "one review, of the result" },
  integrator: { always: "an integrator", needed: "an integrator where needed" },
  seats: { all: "all seats", "by-result": "seats by size and risk", one: "one seat" },
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
