/** What tasks of a plan have in common by their words: files, names of code, paths and routes. */

import type { ImportGraph } from "../imports/import-graph.ts";
import { shownName } from "../text/shown-text.ts";
import { trimEndOf } from "../text/trim-end.ts";
import type { Plan, PlannedTask } from "./plan.ts";
import { checkPlan, mayMeet, sideBySide } from "./plan-check.ts";
import { tasksById } from "./plan-order.ts";

/** What the repository has of what a plan speaks of. */
export interface RepositoryWords {
  /** Names and paths of the plan that stand in the repository already: who uses them has them to read. */
  readonly known: ReadonlySet<string>;
  readonly imports: ImportGraph | null;
}

/** Something that two tasks side by side need and neither owns alone. */
export interface Shared {
  readonly tasks: readonly string[];
  readonly text: string;
}

/** What tasks side by side share: a file, an import, a contract file, a name or a path that is not there yet. */
export function sharedBetween(plan: Plan, { known, imports }: RepositoryWords): readonly Shared[] {
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
    const bare = trimEndOf(name.split("(", 1)[0] ?? "", ".,;:");
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

const escapeWord = (word: string): string => word.replaceAll(/[.*+?^${}()|[\]\\/]/gu, "\\$&");

/** Whether a task names a file, by its path, its name, or the word that its name is. */
function speaksOf(task: PlannedTask, file: string): boolean {
  if (task.files.some((claim) => mayMeet(claim, file))) return true;
  const text = wordsOf(task).toLowerCase();
  const path = file.toLowerCase().replace(/\/$/u, "");
  const name = path.split("/").at(-1) ?? path;
  const stem = name.split(".", 1)[0] ?? "";
  const says = (word: string): boolean =>
    new RegExp(`(?<![\\p{L}\\p{N}_])${escapeWord(word)}(?![\\p{L}\\p{N}_])`, "u").test(text);
  // Where the plan speaks of "the contract", it means what stands there.
  return (
    says(path) ||
    says(name) ||
    (stem.length >= 4 && !plain.has(stem) && says(stem)) ||
    says("contract") ||
    says("contracts")
  );
}
