import semver from "semver";
import { fitsWildcards } from "../text/wildcards.ts";
import { type DependencyRequest, type Ecosystem, ecosystemOf } from "./request.ts";

/** The configuration's rules for dependencies, applied before the user is asked. */
export interface DependencyRules {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** Of everything that no rule names. */
  readonly otherwise: "ask" | "deny";
}

type RuleVerdict =
  /** `version`: what is installed, if the rule limits a request without a version. */
  | { readonly kind: "allow"; readonly rule: string; readonly version: string | null }
  | { readonly kind: "deny"; readonly rule: string | null }
  | { readonly kind: "ask" };

interface Rule {
  readonly ecosystem: Ecosystem | null;
  readonly name: string;
  readonly range: string | null;
}

const names: Readonly<Record<string, Ecosystem>> = {
  javascript: "javascript",
  python: "python",
  rust: "rust",
  go: "go",
};

/**
 * Parses a rule: a name with `*` as wildcard, an optional range of versions (`react@^19`), and an optional
 * language before it (`python:requests`).
 *
 * @returns the rule, or what is wrong with it in words that follow its value
 */
export function parseRule(text: string): { readonly rule: Rule } | { readonly mistake: string } {
  const [, before, rest = ""] = /^(?:([a-z]+):)?(.*)$/su.exec(text) ?? [];
  const ecosystem = before === undefined ? null : (names[before] ?? null);
  if (before !== undefined && ecosystem === null)
    return { mistake: `must begin with one of ${Object.keys(names).join(", ")}, or with the name` };
  const at = rest.indexOf("@", 1);
  const name = at === -1 ? rest : rest.slice(0, at);
  const range = at === -1 ? null : rest.slice(at + 1);
  if (!/^@?[\w*~.-]+(?:\/[\w*~.-]+)*$/u.test(name))
    return { mistake: 'must be a name of a package, as in "react", "@types/*" or "react@^19"' };
  if (range !== null && semver.validRange(range) === null)
    return { mistake: 'must have a range of versions behind its "@", as in "react@^19" or "left-pad@<1.3"' };
  return { rule: { ecosystem, name, range } };
}

/** What the rules say of a request. What is denied is denied, whatever allows it too. */
export function ruleFor(request: DependencyRequest, rules: DependencyRules): RuleVerdict {
  const wanted = rangeOf(request);
  for (const text of rules.deny) {
    const rule = ruleOn(text, request);
    if (rule === null) continue;
    // A version that may be denied is denied.
    if (rule.range === null || wanted === null || semver.intersects(wanted, rule.range))
      return { kind: "deny", rule: text };
  }
  for (const text of rules.allow) {
    const rule = ruleOn(text, request);
    if (rule === null) continue;
    if (rule.range === null) return { kind: "allow", rule: text, version: request.version };
    if (request.version === null && ["javascript", "rust"].includes(ecosystemOf(request.manager))) {
      const version = rule.range.trim();
      if (/^[\^~]?\d[\w.+-]*$/u.test(version)) return { kind: "allow", rule: text, version };
    }
    if (wanted !== null && semver.subset(wanted, rule.range))
      return { kind: "allow", rule: text, version: request.version };
  }
  return rules.otherwise === "deny" ? { kind: "deny", rule: null } : { kind: "ask" };
}

/** `name[extra]` as `name`. */
const withoutExtras = (name: string): string => (name.endsWith("]") ? (name.split("[", 1)[0] ?? "") : name);

/** The rule of the user's "always": this package, up to the next breaking version. */
export function ruleOf({ manager, name, version }: DependencyRequest): string {
  const bare = withoutExtras(name);
  const number = version === null ? null : semver.coerce(version)?.version;
  const isPlain = version !== null && /^[\^~=v]*\d/u.test(version);
  const text = number && isPlain ? `${bare}@^${number}` : bare;
  return `${ecosystemOf(manager)}:${text}`;
}

/** A rule where it is about the package of a request. */
function ruleOn(text: string, request: DependencyRequest): Rule | null {
  const parsed = parseRule(text);
  if ("mistake" in parsed) return null;
  const { ecosystem, name } = parsed.rule;
  if (ecosystem !== null && ecosystem !== ecosystemOf(request.manager)) return null;
  const fits = fitsWildcards(spelled(name, request), spelled(withoutExtras(request.name), request));
  return fits ? parsed.rule : null;
}

/** Python and Rust take several spellings of a name for the same. */
const spelled = (name: string, { manager }: DependencyRequest): string => {
  const ecosystem = ecosystemOf(manager);
  const lower = ecosystem === "go" ? name : name.toLowerCase();
  return ecosystem === "python"
    ? lower.replace(/[-_.]+/gu, "-")
    : ecosystem === "rust"
      ? lower.replaceAll("_", "-")
      : lower;
};

/** The request as a range of versions; null: unknown. */
function rangeOf({ manager, version }: DependencyRequest): string | null {
  // "~=" and "!=" mean something that semver has no word for.
  if (version === null || /[~!]=/u.test(version)) return null;
  const text = version.replaceAll(/===?/gu, "=").replaceAll(",", " ").replace(/^v/u, "");
  // Cargo takes a plain version for the least that will do.
  return semver.validRange(manager === "cargo" && /^\d/u.test(text) ? `^${text}` : text);
}
