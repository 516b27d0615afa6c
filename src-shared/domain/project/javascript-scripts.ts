import type { FoundCheck } from "./project-facts.ts";

/** A package of a monorepo. */
export interface Member {
  readonly folder: string;
  readonly reason: string;
  readonly scripts: Readonly<Record<string, string>>;
  /** Whether packages have to be installed for it. */
  readonly hasDependencies: boolean;
}

/** Names of scripts that say something of the work and are quick; others may publish, serve or never end. */
const fastScripts = ["lint", "typecheck", "type-check", "types", "check-types", "check:types"];
/** Those of them that are about types. */
export const typeScripts = fastScripts.slice(1);
/** What stands for `test` where there is no script of that name. */
const testScripts = ["test", "test:unit", "test:ci", "tests", "unit"];
/** A script that runs tests, and one that waits for somebody to change a file. */
const testing = /\b(?:tests?|vitest|jest|mocha|ava|tap|playwright|cypress)\b/u;
const endless = /--watch(?:All)?(?:\s|=(?!false)|$)/u;

/** A script that is a check. */
export interface CheckScript {
  readonly name: string;
  readonly speed: FoundCheck["speed"];
}

/** The scripts that check the work, of all that a package and its members have. */
export function checkScripts(
  own: Readonly<Record<string, string>>,
  members: readonly Member[],
): readonly CheckScript[] {
  const textsOfScript = (name: string): readonly string[] => {
    const text = own[name];
    if (text !== undefined) return [text];
    return members.flatMap(({ scripts }) => scripts[name] ?? []);
  };
  const ends = (name: string): boolean => {
    const texts = textsOfScript(name);
    return texts.length > 0 && !texts.some((text) => endless.test(text));
  };
  const fast = fastScripts.filter((name) => textsOfScript(name).length > 0);
  if (!fast.includes("lint") && ends("lint:check")) fast.unshift("lint:check");
  // Its own name is believed whatever it runs.
  const test = testScripts.find((name) => (name === "test" ? textsOfScript(name).length > 0 : ends(name)));
  const known = [...fast, ...(test === undefined ? [] : [test])];
  const runsTestTool = (text: string): boolean =>
    known.some((name) =>
      new RegExp(`\\b(?:npm|pnpm|yarn|bun)(?: run)?(?: -\\S+)* ${name}(?![\\w:-])`, "u").test(text),
    );
  const check = ends("check") && !textsOfScript("check").some(runsTestTool) ? textsOfScript("check") : [];
  const isTest = check.some((text) => testing.test(text));
  return [
    ...fast.map((name) => ({ name, speed: "fast" as const })),
    ...(check.length > 0 && !isTest ? [{ name: "check", speed: "fast" as const }] : []),
    ...(test === undefined ? [] : [{ name: test, speed: "slow" as const }]),
    ...(isTest && test === undefined ? [{ name: "check", speed: "slow" as const }] : []),
  ];
}
