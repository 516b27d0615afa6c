import { formatFitting } from "#shared/domain/patterns/pattern-use.ts";
import { patternCategories } from "#shared/domain/patterns/pattern-words.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { forbiddenIn } from "./forbidden-instructions.ts";
import { type Claim, fittingRuns, readEvidence } from "./pattern-evidence.ts";
import { proseProblem } from "./pattern-markdown.ts";
import { keptKeys, renderPattern, splitFrontMatter } from "./pattern-text.ts";
import type { GateResult, PatternProposal, RecordedRun } from "./patterns-interface.ts";

/** The automatic gate without the look at the branch. Everything in a proposal is untrusted. (HOX-8.4) */
export function gateText(proposal: PatternProposal, runs: readonly RecordedRun[]): readonly GateResult[] {
  return [
    wellFormed(proposal),
    category(proposal),
    tried(proposal, runs),
    noSecret(proposal),
    noRuleBroken(proposal),
  ];
}

const result = (name: GateResult["name"], problem: string | null, good: string): GateResult => ({
  name,
  passed: problem === null,
  detail: problem ?? good,
});

const maxFieldLength = 300;

function wellFormed(proposal: PatternProposal): GateResult {
  const { fields, body, strange } = splitFrontMatter(proposal.markdown);
  const problem = ((): string | null => {
    if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/u.test(proposal.name) || proposal.name.length > 80)
      return `The name "${startOf(proposal.name, 80)}" is not lower-case words with hyphens.`;
    if (!(proposal.confidence >= 0 && proposal.confidence <= 1))
      return `The confidence ${proposal.confidence} is not between 0 and 1.`;
    if (!fields) return 'It has no front matter between two lines "---".';
    if (strange[0] !== undefined)
      return `The front matter has a line that is not "key: value": ${startOf(strange[0], 120)}`;
    const foreign = [...fields.keys()].find(
      (key) => !["name", "category", "confidence", "run", ...keptKeys].includes(key),
    );
    if (foreign) return `The front matter has an unknown key "${foreign}".`;
    for (const [key, value] of Object.entries({
      name: proposal.name,
      category: proposal.category,
      run: proposal.run,
    })) {
      const declared = fields.get(key);
      if (declared !== undefined && declared !== value)
        return `The front matter says ${key} "${declared}", the proposal says "${value}".`;
    }
    const declared = fields.get("confidence");
    if (declared !== undefined && Number(declared) !== proposal.confidence)
      return `The front matter says confidence ${declared}, the proposal says ${proposal.confidence}.`;
    const long = [...fields].find(([, value]) => value.length > maxFieldLength);
    if (long) return `The front matter's "${long[0]}" is longer than ${maxFieldLength} characters.`;
    // Also what joins letters of some scripts: a pattern can be written without.
    if (shownText(proposal.markdown) !== proposal.markdown || /\p{Cf}/u.test(proposal.markdown))
      return "It contains invisible characters.";
    return proseProblem(body);
  })();
  return result("format", problem, `Valid, ${body.split(/\s+/u).length} words.`);
}

function category(proposal: PatternProposal): GateResult {
  const known = (patternCategories as readonly string[]).includes(proposal.category);
  return result(
    "category",
    known ? null : `"${proposal.category}" is not one of ${patternCategories.join(", ")}.`,
    `File is in patterns/${proposal.category}/.`,
  );
}

// ---- matches recorded runs ------------------------------------------------------------------------------------

/** A pattern must say by which figures it can be recognised; they must hold on its own run and not mislead on others. */
function tried(proposal: PatternProposal, runs: readonly RecordedRun[]): GateResult {
  const name = "matches recorded runs";
  const evidence = splitFrontMatter(proposal.markdown).fields?.get("evidence");
  if (!evidence)
    return result(
      name,
      "The front matter has no evidence, as in `evidence: agents = 3, mutation_conflicts <= 1`.",
      "",
    );
  let claims: readonly Claim[];
  try {
    claims = readEvidence(evidence);
  } catch (error) {
    return result(name, (error as Error).message, "");
  }
  const own = runs.find((run) => run.run === proposal.run);
  const problem = proposal.isFromElsewhere && !own ? null : problemOfOwn(proposal, own, claims);
  if (problem !== null) return result(name, problem, "");
  const fitting = fittingRuns(claims, proposal.run, runs);
  const misleads = fitting.runs >= 3 && fitting.complete * 2 < fitting.runs;
  return result(
    name,
    misleads
      ? `Of ${fitting.runs} other recorded runs that match it, only ${fitting.complete} completed.`
      : null,
    own
      ? `${claims.length} of ${claims.length} claims are true of its run; ${formatFitting(fitting)}.`
      : `Its run is not recorded here; ${formatFitting(fitting)}.`,
  );
}

/** Why its own run does not bear it out. */
function problemOfOwn(
  { run }: PatternProposal,
  own: RecordedRun | undefined,
  claims: readonly Claim[],
): string | null {
  if (!own) return `The run ${run} is not in the journal.`;
  if (own.outcome !== "complete")
    return `The run ${run} ended as ${own.outcome}; patterns can come only from successful runs.`;
  const untrue = claims.filter((claim) => !claim.holds(own.figures[claim.figure]));
  const contradictions = untrue.map(
    (claim) => `${claim.text} (the journal says ${own.figures[claim.figure]})`,
  );
  return untrue.length === 0 ? null : `Not true of its run: ${contradictions.join(", ")}.`;
}

// ---- what must not be in it ------------------------------------------------------------------------------------

/** What looks like a secret, by its word for people. */
export const secrets: readonly (readonly [string, RegExp])[] = [
  ["a private key", /-----BEGIN [A-Z ]*PRIVATE KEY-----/u],
  ["an API key", /\b(?:sk|pk|rk)-(?:[A-Za-z]+-)*[A-Za-z0-9_-]{16,}/u],
  ["a GitHub token", /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,})/u],
  ["an AWS key", /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/u],
  ["a Slack token", /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/u],
  ["a signed token", /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/u],
  ["a password in an address", /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*:\/\/[^\s/:@]+:[^\s/@]+@/iu],
  [
    "a password or key",
    /\b(?:pass(?:word|wd)?|secret|token|api[_-]?key)\b["']?\s*[:=]\s*["']?[^\s"',;]{8,}/iu,
  ],
];

function noSecret(proposal: PatternProposal): GateResult {
  const found = secrets.find(
    ([, pattern]) => pattern.test(proposal.markdown) || pattern.test(renderPattern(proposal)),
  );
  return result(
    "no secret",
    found ? `It seems to contain ${found[0]}.` : null,
    "No key, token or password found.",
  );
}

function noRuleBroken(proposal: PatternProposal): GateResult {
  const { fields, body } = splitFrontMatter(proposal.markdown);
  const sentences = [
    ...(fields?.values() ?? []),
    ...body.split(/(?<=[.!?;:])\s+|(?<=[。！？])|\n{2,}|\n(?=[ \t]*[-*\d#])/u),
  ];
  for (const sentence of sentences) {
    const what = forbiddenIn(sentence);
    if (what !== null)
      return result(
        "no unsafe instruction",
        `It tells an agent ${what}: “${startOf(sentence.replace(/\s+/gu, " ").trim(), 160)}”`,
        "",
      );
  }
  return result(
    "no unsafe instruction",
    null,
    "No known unsafe instruction found. The list is not complete: read the text.",
  );
}
