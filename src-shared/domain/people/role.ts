/** What people may do on a host that several of them share. */

/** From the least to the most; each may do what those before it may. */
export const peopleRoles = ["watch", "steer", "approve", "own"] as const;
export type PersonRole = (typeof peopleRoles)[number];

/** What each role adds to the one before it, as a sentence in a list says it. */
export const roleMeanings: Readonly<Record<PersonRole, string>> = {
  watch: "see everything, change nothing",
  steer: "start, pause, message and reprioritize work, and lower its budget",
  approve: "answer cards, land and undo results, and raise budgets",
  own: "change settings, keys and people, and open or remove repositories",
};

/** Whether a role is enough. @param has null: no role at all */
export const isEnough = (has: PersonRole | null, needed: PersonRole): boolean =>
  has !== null && peopleRoles.indexOf(has) >= peopleRoles.indexOf(needed);

/** Longest name of a person. */
export const maxPersonName = 64;

/** The roles of one person: in every repository, and in some of them another one. */
export interface PersonRoles {
  /** Null: only in those that are named. */
  readonly role: PersonRole | null;
  /** By the root of a repository. */
  readonly repositories: Readonly<Record<string, PersonRole>>;
}

/**
 * The role of a person in a repository.
 *
 * @param root null: what belongs to no repository. Who has a role in only some of them may look there, and no more.
 * @returns null for none
 */
export function roleIn({ role, repositories }: PersonRoles, root: string | null): PersonRole | null {
  if (root === null) return role ?? (Object.keys(repositories).length > 0 ? "watch" : null);
  return repositories[root] ?? role;
}

/** What a person may look at, as their window says it; null: nothing of the kind. */
export interface Look {
  readonly repository: string | null;
  readonly run: string | null;
  /** The worker of a task. */
  readonly worker: string | null;
  /** The card that they are about to answer. */
  readonly card: string | null;
}

export const lookAtNothing: Look = { repository: null, run: null, worker: null, card: null };

/** Somebody who is connected, once for all their windows. */
export interface Present extends Look {
  readonly name: string;
}

/** Two letters for a small picture of a person: `AB` for "Ann Bell", `AN` for "ann". */
export function initialsOf(name: string): string {
  const words = name.split(/[\s._@-]+/u).filter((word) => word !== "");
  const [first = "", second] = words;
  const letters = second === undefined ? [...first].slice(0, 2) : [[...first][0], [...second][0]];
  return letters.join("").toUpperCase();
}
