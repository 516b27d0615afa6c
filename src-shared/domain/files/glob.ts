/**
 * Path patterns as in a shell: `*` and `?` stay in one name, `**` matches any number of folders, `[a-z]` is
 * one character, `{a,b}` one of several. A match takes at most pattern times path: agents write the patterns,
 * and would block the whole process.
 */

/** Limit of patterns that braces expand to. */
const maxAlternatives = 64;
const maxPatternLength = 500;

/** A pattern that expands to too many. The message is for its author. */
export class GlobTooLarge extends Error {
  override readonly name = "GlobTooLarge";
}

type Sign =
  | { readonly kind: "one"; readonly of: string }
  | { readonly kind: "any" }
  | { readonly kind: "many" }
  | {
      readonly kind: "class";
      readonly isNot: boolean;
      readonly ranges: readonly (readonly [string, string])[];
    };

/**
 * @param pattern relative, with `/`; one without a slash is looked for in every folder
 * @param ignoreCase whether upper and lower case are the same
 * @returns whether a path (relative, with `/`) fits
 * @throws GlobTooLarge
 */
export function globMatcher(
  pattern: string,
  { ignoreCase = false }: { readonly ignoreCase?: boolean } = {},
): (path: string) => boolean {
  if (pattern.length > maxPatternLength)
    throw new GlobTooLarge(`The pattern is longer than ${maxPatternLength} characters.`);
  const spell = (text: string): string => (ignoreCase ? text.toLowerCase() : text);
  const alternatives = expandBraces(spell(pattern)).map((one) => {
    const names = one
      .replace(/^\.?\//u, "")
      .split("/")
      .filter((name) => name !== "" && name !== ".");
    return (names.length > 1 ? names : ["**", ...names]).map((name) =>
      name === "**" ? null : signsOf(name),
    );
  });
  return (path) => {
    const names = spell(path).split("/");
    return alternatives.some((one) => matchesNames(one, names));
  };
}

/**
 * The same for patterns in which nothing but stars is special, and all of a path is meant: claims on files, members of
 * workspaces. `[id].tsx` is the name of a file there. Two stars within a name go through folders too: `src/a**`.
 * @returns whether a path fits; one that ends in `/**` wants something in the folder
 */
export function starMatcher(pattern: string): (path: string) => boolean {
  const alternatives = throughNames(pattern.split("/")).map((names) =>
    names.map((name) => (name === "**" ? null : starsOf(name))),
  );
  return (path) => {
    const names = path.split("/");
    return alternatives.some((one) => matchesNames(one, names));
  };
}

/** The same for one name. */
export function nameMatcher(pattern: string): (name: string) => boolean {
  const signs = starsOf(pattern);
  return (name) => matchesName(signs, name);
}

/** `a**b` is `a*b`, or `a*` and `*b` with any folders between. */
function throughNames(names: readonly string[]): readonly (readonly string[])[] {
  const at = names.findIndex((name) => name !== "**" && name.includes("**"));
  const name = names[at];
  if (name === undefined) return [names];
  const [before, after] = [names.slice(0, at), names.slice(at + 1)];
  const stars = name.indexOf("**");
  const [start, end] = [name.slice(0, stars), name.slice(stars).replace(/^\*+/u, "")];
  const alternatives = [[`${start}*${end}`], [`${start}*`, "**", `*${end}`]].flatMap((middle) =>
    throughNames([...before, ...middle, ...after]),
  );
  if (alternatives.length > maxAlternatives)
    throw new GlobTooLarge(`The wildcards of the pattern expand to more than ${maxAlternatives} patterns.`);
  return alternatives;
}

const starsOf = (name: string): readonly Sign[] =>
  [...name.replaceAll(/\*+/gu, "*")].map((sign) =>
    sign === "*" ? { kind: "many" } : { kind: "one", of: sign },
  );

/** `a{b,c}d` → `abd`, `acd`; an open brace without its end is itself. */
function expandBraces(pattern: string): readonly string[] {
  let done: readonly string[] = [""];
  let rest = pattern;
  for (;;) {
    const open = rest.indexOf("{");
    const close = open < 0 ? -1 : endOfBrace(rest, open);
    if (close < 0) return done.map((one) => one + rest);
    const choices = choicesOf(rest.slice(open + 1, close)).flatMap(expandBraces);
    done = done.flatMap((one) => choices.map((choice) => `${one}${rest.slice(0, open)}${choice}`));
    if (done.length > maxAlternatives)
      throw new GlobTooLarge(`The braces of the pattern expand to more than ${maxAlternatives} patterns.`);
    rest = rest.slice(close + 1);
  }
}

function endOfBrace(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === "{") depth += 1;
    if (text[at] === "}") depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

function choicesOf(inside: string): readonly string[] {
  const choices = [""];
  let depth = 0;
  for (const sign of inside) {
    if (sign === "," && depth === 0) {
      choices.push("");
      continue;
    }
    if (sign === "{") depth += 1;
    if (sign === "}") depth -= 1;
    choices[choices.length - 1] += sign;
  }
  return choices;
}

function signsOf(name: string): readonly Sign[] {
  const signs: Sign[] = [];
  const all = [...name];
  for (let at = 0; at < all.length; at++) {
    const sign = all[at] ?? "";
    if (sign === "*") {
      if (signs.at(-1)?.kind !== "many") signs.push({ kind: "many" });
    } else if (sign === "?") signs.push({ kind: "any" });
    else if (sign === "\\" && at + 1 < all.length) {
      at += 1;
      signs.push({ kind: "one", of: all[at] ?? "" });
    } else if (sign === "[" && all.indexOf("]", at + 2) > 0) {
      const end = all.indexOf("]", at + 2);
      signs.push(classOf(all.slice(at + 1, end)));
      at = end;
    } else signs.push({ kind: "one", of: sign });
  }
  return signs;
}

function classOf(inside: readonly string[]): Sign {
  const isNot = inside[0] === "!" || inside[0] === "^";
  const signs = isNot ? inside.slice(1) : inside;
  const ranges: (readonly [string, string])[] = [];
  for (let at = 0; at < signs.length; at++) {
    const from = signs[at] ?? "";
    const to = signs[at + 1] === "-" ? signs[at + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) at += 2;
  }
  return { kind: "class", isNot, ranges };
}

const fits = (sign: Sign | undefined, of: string): boolean => {
  switch (sign?.kind) {
    case "one":
      return sign.of === of;
    case "any":
      return true;
    case "class":
      return sign.isNot !== sign.ranges.some(([from, to]) => from <= of && of <= to);
    default:
      return false;
  }
};

/** Where a star was the last thing that fitted, one more is tried for it: going back further never helps. */
function matchesName(signs: readonly Sign[], name: string): boolean {
  const all = [...name];
  let [at, sign, star, tried] = [0, 0, -1, 0];
  while (at < all.length) {
    if (signs[sign]?.kind === "many") {
      star = sign;
      tried = at;
      sign += 1;
    } else if (fits(signs[sign], all[at] ?? "")) {
      at += 1;
      sign += 1;
    } else if (star >= 0) {
      tried += 1;
      at = tried;
      sign = star + 1;
    } else return false;
  }
  while (signs[sign]?.kind === "many") sign += 1;
  return sign === signs.length;
}

/** The same, with names for signs and `**` (null) for stars. A last `**` wants something below the folder. */
function matchesNames(pattern: readonly (readonly Sign[] | null)[], names: readonly string[]): boolean {
  let [at, part, star, tried] = [0, 0, -1, 0];
  while (at < names.length) {
    const signs = pattern[part];
    if (signs === null) {
      star = part;
      tried = at;
      part += 1;
    } else if (signs !== undefined && matchesName(signs, names[at] ?? "")) {
      at += 1;
      part += 1;
    } else if (star >= 0) {
      tried += 1;
      at = tried;
      part = star + 1;
    } else return false;
  }
  return part === pattern.length;
}

// Claims on files: paths, folders that end in `/`, and globs with `*` and `**`.

/**
 * Whether every file that a claim names is among those that another names. May answer no where two globs would need a
 * closer look, never yes where a file is left out.
 */
export function claimCovers(wide: string, narrow: string): boolean {
  const [outer, inner] = [asGlob(wide), asGlob(narrow)];
  if (outer === inner) return true;
  if (!inner.includes("*")) return fitsGlob(outer)(inner);
  // A glob is inside a whole folder if all of it begins there.
  if (!outer.endsWith("**")) return false;
  const folder = outer.slice(0, -2);
  return !folder.includes("*") && inner.slice(0, inner.indexOf("*")).startsWith(folder);
}

/**
 * Claims that no file meets: what was named and is not there.
 *
 * @param files all paths of the repository
 */
export const claimsWithoutFile = (claims: readonly string[], files: readonly string[]): readonly string[] =>
  claims.filter((claim) => {
    const fits = fitsGlob(asGlob(claim));
    return !files.some((file) => fits(file));
  });

/** A claim as a glob: a folder matches all its contents. */
export const asGlob = (claim: string): string =>
  (claim.endsWith("/") ? `${claim}**` : claim).replace(/^\.\//u, "");

/** Whether a path fits a glob. */
export type Fits = (path: string) => boolean;

/**
 * Models and projects write these, so a match must be fast, and one that is too large matches no file instead
 * of failing the plan.
 */
export function fitsGlob(glob: string): Fits {
  try {
    return starMatcher(glob);
  } catch (error) {
    if (error instanceof GlobTooLarge) return () => false;
    throw error;
  }
}
