/** What Hox finds out about a project before anything is paid for: what it is, and how its checks come out as it stands. */
import { type InstalledTool, versionDifferences } from "./installed-versions.ts";
import { type BaseOutcome, type CheckOutcome, fewNames } from "./known-failures.ts";
import type { ProjectFacts } from "./project-facts.ts";

/** A check that was tried on the base. */
export interface LookedCheck extends BaseOutcome {
  /** Unique in the look. */
  readonly name: string;
  readonly command: string;
  readonly speed: "fast" | "slow";
  /** Of a slow one. */
  readonly everyNIterations: number;
  /** What says that it is a check here. */
  readonly reason: string;
  readonly ms: number;
  /** The end of what it printed. */
  readonly output: string;
  /** What a person does where it is missing or failed for want of something; null: nothing is known to lack. */
  readonly remedy: string | null;
}

export interface FirstLook {
  readonly commitId: string;
  /** ms since 1970. */
  readonly at: number;
  readonly facts: Omit<ProjectFacts, "checks">;
  /** Tools that the project asks for, as they are there. Absent in what an earlier version wrote. */
  readonly installed?: readonly InstalledTool[];
  /** Whether `[backpressure]` names them, for each speed. */
  readonly isConfigured: { readonly fast: boolean; readonly slow: boolean };
  readonly checks: readonly LookedCheck[];
  readonly setUpMs: number;
  /** Commands of `[workspace] setup` that failed, and why. */
  readonly setUpFailures: readonly string[];
  /** Time that each check has, in seconds. */
  readonly timeoutSeconds: number;
}

/** Checks as `[backpressure]` names them. */
export interface NamedChecks {
  readonly fast: readonly string[];
  readonly slow: readonly { readonly command: string; readonly everyNIterations: number }[];
}

/** What a person said to it. */
export type FirstLookDecision =
  | { readonly kind: "go-on" }
  /** By command. */
  | { readonly kind: "leave-out"; readonly commands: readonly string[] }
  | { readonly kind: "use-checks"; readonly checks: NamedChecks }
  | { readonly kind: "look-again" };

/** `nobody`: there was nothing to decide. */
export type FirstLookDecider = "person" | "settings" | "nobody";

export type FirstLookEvent =
  | { readonly kind: "Looked"; readonly look: FirstLook; readonly isKept: boolean }
  | { readonly kind: "Decided"; readonly decision: FirstLookDecision; readonly by: FirstLookDecider }
  /**
   * Checks that were red on the base, without names, and passed in a fresh checkout since: for everyone who stands on it,
   * or for what brings all work together.
   */
  | { readonly kind: "Passed"; readonly commands: readonly string[]; readonly reach: "everyone" | "result" }
  /** Nothing is looked at: `[backpressure] first_look = "off"`. */
  | { readonly kind: "Skipped" };

export interface FirstLookState {
  readonly look: FirstLook | null;
  /** It was done for the same commit before, and only told again. */
  readonly isKept: boolean;
  /** Commands that do not run. */
  readonly leftOut: readonly string[];
  /** Checks that a person gave, in place of those that are found; what the configuration names comes before them. */
  readonly given: NamedChecks | null;
  /** Commands that passed since, by who stands on that: they count in full again. */
  readonly passed: { readonly everyone: readonly string[]; readonly result: readonly string[] };
  readonly isSettled: boolean;
  /** Who let it be; null while nobody had to. */
  readonly settledBy: "person" | "settings" | null;
  /** Rises with every look, so that each has a question of its own. */
  readonly looks: number;
}

export const notLooked: FirstLookState = {
  look: null,
  isKept: false,
  leftOut: [],
  given: null,
  passed: { everyone: [], result: [] },
  isSettled: false,
  settledBy: null,
  looks: 0,
};

/**
 * Folds one event of the first look. Total: a decision that comes twice changes nothing more.
 *
 * @returns the next state
 */
export function foldFirstLook(state: FirstLookState, event: FirstLookEvent): FirstLookState {
  switch (event.kind) {
    case "Skipped":
      return { ...state, isSettled: true };
    case "Looked":
      return { ...state, look: event.look, isKept: event.isKept, looks: state.looks + 1, isSettled: false };
    case "Passed": {
      const known = state.passed[event.reach];
      const all = [...new Set([...known, ...event.commands])];
      return { ...state, passed: { ...state.passed, [event.reach]: all } };
    }
    case "Decided":
      return decided(state, event.decision, event.by);
    default: {
      const never: never = event;
      return never;
    }
  }
}

function decided(state: FirstLookState, decision: FirstLookDecision, by: FirstLookDecider): FirstLookState {
  const settledBy = by === "nobody" ? null : by;
  switch (decision.kind) {
    case "go-on":
      return { ...state, isSettled: true, settledBy };
    case "leave-out":
      return {
        ...state,
        leftOut: [...new Set([...state.leftOut, ...decision.commands])],
        isSettled: true,
        settledBy,
      };
    case "use-checks":
      // They are tried before they count.
      return { ...state, given: decision.checks, look: null, isSettled: false };
    case "look-again":
      return { ...state, look: null, isSettled: false };
    default: {
      const never: never = decision;
      return never;
    }
  }
}

export type FirstLookTrouble = "empty" | "red" | "slow";

/**
 * A fast check runs after every iteration: twenty iterations of a task with one of half a minute are ten minutes in
 * which nothing is written.
 */
export const slowestFastMs = 30_000;
/**
 * A check has the whole machine on the base. Agents work side by side, so it must be done in half of its time, or it
 * runs out of it as soon as two of them check at once.
 */
export const slowestShare = 0.5;

const isRunning = (look: LookedCheck): boolean => look.outcome !== "missing";

/** Whether a check took longer than is good for a run. */
export const isSlow = (check: LookedCheck, timeoutSeconds: number): boolean =>
  check.outcome === "timed-out" ||
  check.ms > timeoutSeconds * 1000 * slowestShare ||
  (check.speed === "fast" && check.ms > slowestFastMs);

/** Whether `[backpressure]` names it: then a program that is missing is a mistake, and not a habit of the project. */
const isNamed = (look: FirstLook, check: LookedCheck): boolean => look.isConfigured[check.speed];

/** The checks that would run. */
export const chosenChecks = (look: FirstLook, leftOut: readonly string[] = []): readonly LookedCheck[] =>
  look.checks.filter((one) => (isRunning(one) || isNamed(look, one)) && !leftOut.includes(one.command));

/**
 * What a person is asked about before a run: that nothing would be checked, that something is red already, or that it
 * takes too long. An empty list in the configuration is a decision and nothing to ask about.
 */
export function firstLookTroubles(
  look: FirstLook,
  leftOut: readonly string[] = [],
): readonly FirstLookTrouble[] {
  const chosen = chosenChecks(look, leftOut);
  const isSwitchedOff = look.isConfigured.fast && look.isConfigured.slow;
  return [
    ...(chosen.length === 0 && !isSwitchedOff ? (["empty"] as const) : []),
    ...(chosen.some(({ outcome }) => outcome === "failed" || outcome === "missing")
      ? (["red"] as const)
      : []),
    ...(chosen.some((one) => isSlow(one, look.timeoutSeconds)) ? (["slow"] as const) : []),
  ];
}

/** The checks as they would stand in `.hox/config.toml`: those that can run; a fast one that is slow runs less often. */
export function proposedChecks(look: FirstLook, leftOut: readonly string[] = []): NamedChecks {
  const chosen = chosenChecks(look, leftOut).filter(isRunning);
  const isFast = (one: LookedCheck): boolean => one.speed === "fast" && one.ms <= slowestFastMs;
  return {
    fast: chosen.filter(isFast).map(({ command }) => command),
    slow: chosen
      .filter((one) => !isFast(one))
      .map(({ command, speed, everyNIterations }) => ({
        command,
        everyNIterations: speed === "fast" ? 3 : everyNIterations,
      })),
  };
}

/** The lines of `[backpressure]` that name some checks; JSON's strings are TOML's. */
export const checksAsToml = ({ fast, slow }: NamedChecks): readonly string[] => [
  `fast_checks = [${fast.map((command) => JSON.stringify(command)).join(", ")}]`,
  `slow_checks = [${slow
    .map(
      ({ command, everyNIterations }) =>
        `{ command = ${JSON.stringify(command)}, every_n_iterations = ${everyNIterations} }`,
    )
    .join(", ")}]`,
];

/**
 * Of checks that passed, those that were red on the base and name nothing: from now on one can tell that they became worse.
 *
 * @param commands that passed
 */
export function newlyPassed(
  { look, passed }: FirstLookState,
  commands: readonly string[],
  reach: "everyone" | "result",
): readonly string[] {
  const red = (look?.checks ?? []).filter(
    ({ outcome, failures }) => outcome !== "passed" && failures === null,
  );
  return red
    .map(({ command }) => command)
    .filter((command) => commands.includes(command) && !passed[reach].includes(command));
}

/** Each check's outcome in a few words. */
const outcomeWords: Readonly<Record<CheckOutcome, string>> = {
  passed: "passed",
  failed: "failed",
  "timed-out": "took too long",
  missing: "missing",
};

/** Seconds as a table shows them. */
const seconds = (ms: number): string =>
  ms < 9_950 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;

/** How one check came out, as one line without its name. */
export function lookedWords(check: LookedCheck, isLeftOut = false): string {
  const count = check.failures?.length ?? 0;
  return [
    isLeftOut ? "left out" : outcomeWords[check.outcome],
    ...(check.outcome === "missing" ? [] : [seconds(check.ms)]),
    ...(count > 0 ? [`${count} failed: ${fewNames(check.failures ?? [], 3)}`] : []),
    ...(check.remedy === null ? [] : [check.remedy]),
  ].join(", ");
}

const listed = (facts: readonly { readonly name: string }[]): string =>
  facts.map(({ name }) => name).join(", ");

/** What a project is, in a few lines. */
function factLines({
  languages,
  packageManagers,
  workspaces,
  toolchains,
}: FirstLook["facts"]): readonly string[] {
  return [
    ...(languages.length > 0
      ? [`${listed(languages)}${packageManagers.length > 0 ? ` with ${listed(packageManagers)}` : ""}`]
      : []),
    ...(workspaces.length > 0
      ? [
          `${workspaces.length} ${workspaces.length === 1 ? "package" : "packages"}: ${fewNames(workspaces.map(({ name }) => name))}`,
        ]
      : []),
    ...(toolchains.length > 0
      ? [`asks for ${toolchains.map(({ tool, version, file }) => `${tool} ${version} (${file})`).join(", ")}`]
      : []),
  ];
}

/** Tools of another version than the project asks for, one sentence each. */
export const versionLines = ({ facts, installed = [] }: FirstLook): readonly string[] =>
  versionDifferences(facts.toolchains, installed);

/** What a project is and which of its tools are others than it asks for, in a few lines. */
export const projectLines = (look: FirstLook): readonly string[] => [
  ...factLines(look.facts),
  ...versionLines(look),
];

/** A look as a table: what the project is, one line for each check, and what nobody should overlook. */
export function lookLines({ look, leftOut, isKept }: FirstLookState): readonly string[] {
  if (look === null) return [];
  const width = Math.min(24, Math.max(0, ...look.checks.map(({ name }) => name.length)));
  return [
    ...projectLines(look),
    ...look.checks.map(
      (one) =>
        `${one.name.padEnd(width)}  ${one.command === one.name ? "" : `${one.command}: `}${lookedWords(one, leftOut.includes(one.command))}`,
    ),
    ...look.setUpFailures.map((text) => `set-up failed: ${text}`),
    ...(chosenChecks(look, leftOut).length === 0
      ? ["No check will run: what the agents write lands unchecked."]
      : []),
    ...(isKept ? [`as found before at ${look.commitId.slice(0, 12)}`] : []),
  ];
}
