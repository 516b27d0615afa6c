import { z } from "zod";
import { fewNames, type LookedCheck, type NamedChecks, outcomeText } from "../../domain/project/preflight.ts";
import { checksAsToml, type PreflightTrouble } from "../../domain/project/preflight-checks.ts";
import { excludingCommand, typedWay, wayLines } from "../../domain/project/ways-on.ts";
import { shownLine } from "../../domain/text/shown-text.ts";
import { line } from "../fields.ts";
import {
  type AnswerRefusal,
  approve,
  type CardBase,
  type CardKind,
  decisionKeys,
  isYes,
  reject,
  type YesOrNoAnswer,
  yesOrNo,
} from "./card.ts";

/** Before the plan: nothing would be checked, a check already fails, or takes too long. */
export interface PreflightCard extends CardBase {
  readonly kind: "preflight";
  readonly commitId: string;
  readonly troubles: readonly PreflightTrouble[];
  /** What the project is, in a few lines. */
  readonly facts: readonly string[];
  /** `failures`: the first names of what failed. */
  readonly checks: readonly (Omit<LookedCheck, "everyNIterations"> & {
    readonly isSlow: boolean;
    readonly failureCount: number | null;
  })[];
  readonly setUpFailures: readonly string[];
  /** What would be written as `[backpressure]`. */
  readonly proposed: NamedChecks;
}

const command = line(4_000).trim().min(1, "must be a command");
/** One command in place of a check's. */
export const changeCheck = z.strictObject({ kind: z.literal("change-check"), command, instead: command });
/** Checks that do not run, by command. */
export const leaveOut = z.strictObject({
  kind: z.literal("leave-out"),
  commands: z.array(command).min(1).max(100).readonly(),
});
/** The checks are written to `.hox/config.toml`. */
const writeChecks = z.boolean().optional();

const answer = z.discriminatedUnion("kind", [
  approve.extend({ writeChecks }),
  leaveOut.extend({ writeChecks }),
  // Commands that check the work, in place of those that were found.
  z
    .strictObject({
      kind: z.literal("use-checks"),
      fast: z.array(command).max(50).readonly(),
      slow: z.array(command).max(50).readonly(),
      writeChecks,
    })
    .refine(({ fast, slow }) => fast.length + slow.length > 0, "name at least one check"),
  changeCheck,
  z.strictObject({ kind: z.literal("retry") }),
  reject,
]);
type PreflightAnswer = z.infer<typeof answer>;

const troubleLabels: Readonly<Record<PreflightTrouble, string>> = {
  empty: "no check that can run was found",
  unproven: "a check could not run and proves nothing",
  red: "a check already fails",
  slow: "a check is slow",
};

export const preflightKind: CardKind<PreflightCard, PreflightAnswer> = {
  title: "Preflight",
  tone: "warning",
  gate: "preflight",
  answer,
  headline: ({ troubles }) =>
    troubles.includes("empty")
      ? "No check found"
      : troubles.includes("unproven")
        ? "A check could not run"
        : troubles.includes("red")
          ? "Checks fail before the run"
          : "Checks are slow",
  from: () => null,
  options: () => [
    { key: decisionKeys.approve, typed: "y", does: "continues, and counts only new failures" },
    { key: null, typed: "out test", does: "continues without these checks" },
    {
      key: null,
      typed: "change test to npm run test:unit",
      does: "replaces the check with this command, after trying it",
    },
    { key: null, typed: "use make check", does: "checks with these commands instead" },
    { key: decisionKeys.again, typed: "again", does: "runs preflight again" },
    { key: decisionKeys.reject, typed: "stop", does: "ends the run at no cost" },
  ],
  lines: (item) => [
    `Preflight of ${item.commitId.slice(0, 12)}: ${item.troubles.map((one) => troubleLabels[one]).join("; ")}`,
    ...item.facts.map((fact) => `  ${shownLine(fact)}`),
    ...item.checks.flatMap(checkLines),
    ...item.setUpFailures.map((text) => `  setup failed: ${shownLine(text)}`),
    ...(item.checks.length === 0
      ? ["  No check was found for this project. The agents’ work would land unchecked."]
      : ["  If you continue, only new failures count, and agents get the list of existing ones."]),
    ...(item.proposed.fast.length + item.proposed.slow.length === 0
      ? []
      : ["  For .hox/config.toml:", ...checksAsToml(item.proposed).map((one) => `    ${shownLine(one)}`)]),
  ],
  question: () =>
    "Continue? [y, out <check>, change <check> to <command>, use <command>, again, or stop; with `and write` also into .hox/config.toml]",
  understand: understood,
  whyNot: () =>
    "Invalid answer. y continues and counts only new failures, `out lint, test` leaves checks out, `change test to npm run test:unit` replaces a check, `use make check; fast make lint` uses other checks, again runs preflight again, stop ends the run. `y and write` also writes the checks to .hox/config.toml.",
  answerInAdvance: () => ({ kind: "approve" }),
  refusal: ({ checks }, given) =>
    unknownCheck(checks, given, "of this project", "Give commands of your own instead."),
};

/** Why an answer about checks is no answer to a card that has others; null if it is about its checks, or about none. */
export function unknownCheck(
  checks: readonly { readonly command: string }[],
  given: { readonly kind: string } | z.infer<typeof leaveOut> | z.infer<typeof changeCheck>,
  where: string,
  withoutChecks: string,
): AnswerRefusal | null {
  const named = "commands" in given ? given.commands : "command" in given ? [given.command] : [];
  const unknown = named.find((one) => !checks.some(({ command: known }) => known === one));
  return unknown === undefined
    ? null
    : {
        message: `"${unknown}" is not a check ${where}.`,
        remedy:
          checks.length === 0
            ? withoutChecks
            : `Use one of: ${checks.map(({ command: known }) => known).join("; ")}.`,
      };
}

const checkLines = (one: PreflightCard["checks"][number]): readonly string[] => [
  `  ${shownLine(one.name)}: ${outcomeText[one.outcome]}${one.outcome === "missing" ? "" : `, ${(one.ms / 1000).toFixed(1)} s`}${one.isSlow ? " (slow)" : ""} (${shownLine(one.command)}; ${shownLine(one.reason)})`,
  ...(one.why === undefined ? [] : [`    ${shownLine(one.why)}`]),
  ...(one.failureCount === null
    ? []
    : [`    ${one.failureCount} failed: ${shownLine(fewNames(one.failures ?? []))}`]),
  ...(one.remedy === null ? [] : [`    ${shownLine(one.remedy)}`]),
  ...(isUnnamed(one)
    ? wayLines(one.name, one.command, excludingCommand(one.command, one)).map((text) => shownLine(text))
    : []),
];

/** Whether a check's failures are unnamed, so that later runs cannot tell whether it became worse. */
export const isUnnamed = ({ outcome, failures }: PreflightCard["checks"][number]): boolean =>
  outcome === "could-not-run" || outcome === "timed-out" || (outcome === "failed" && failures === null);

/** `y`, `out <names>`, `use <commands>`, each perhaps with `and write`; `again`; `stop`. */
function understood(item: PreflightCard, typed: string): PreflightAnswer | null {
  const [, words = "", write] = /^(.*?)(\s+and\s+write)?$/isu.exec(typed.trim()) ?? [];
  const also = write === undefined ? {} : { writeChecks: true };
  if (isYes(words)) return { kind: "approve", ...also };
  if (write === undefined && /^again$/iu.test(words)) return { kind: "retry" };
  if (write === undefined && /^stop$/iu.test(words))
    return { kind: "reject", reason: "Stopped at the terminal." };
  const way = wayOn(item.checks, words);
  if (way?.kind === "leave-out") return { ...way, ...also };
  // What is tried first is written where it is shown again.
  if (way !== null) return write === undefined ? way : null;
  const [, rest] = /^use\s+(.+)$/isu.exec(words) ?? [];
  return rest === undefined ? null : { ...checksOf(rest), ...also };
}

/** `out <names>` or `change <name> to <command>`, of some checks; null where it is neither, or names none of them. */
export function wayOn(
  checks: readonly { readonly name: string; readonly command: string }[],
  words: string,
): z.infer<typeof leaveOut> | z.infer<typeof changeCheck> | null {
  const way = typedWay(words);
  const commandsOf = (named: readonly string[]): readonly string[] =>
    checks.flatMap(({ name, command: known }) =>
      named.includes(name) || named.includes(known) ? [known] : [],
    );
  if (way?.kind === "leave-out") {
    const commands = commandsOf(way.names);
    return commands.length === way.names.length ? { kind: "leave-out", commands } : null;
  }
  const [known] = way === null ? [] : commandsOf([way.name]);
  return way === null || known === undefined
    ? null
    : { kind: "change-check", command: known, instead: way.instead };
}

/** `make check; fast make lint` */
function checksOf(words: string): Extract<PreflightAnswer, { kind: "use-checks" }> {
  const given = words
    .split(";")
    .map((one) => one.trim())
    .filter((one) => one !== "");
  const fast = /^fast\s+/iu;
  return {
    kind: "use-checks",
    fast: given.filter((one) => fast.test(one)).map((one) => one.replace(fast, "")),
    slow: given.filter((one) => !fast.test(one)),
  };
}

export interface SandboxCard extends CardBase {
  readonly kind: "sandbox";
  readonly description: string;
}

export const sandboxKind: CardKind<SandboxCard, YesOrNoAnswer> = {
  ...yesOrNo("lets commands run without a sandbox", "does not run commands"),
  title: "Sandbox",
  tone: "danger",
  gate: null,
  headline: () => "Commands without a sandbox?",
  from: () => null,
  lines: (item) => [`Agent commands would run without a sandbox: ${shownLine(item.description)}`],
};
