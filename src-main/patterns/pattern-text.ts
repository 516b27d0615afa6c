import { createHash } from "node:crypto";
import type { PatternEvidence } from "#shared/contract/commands/pattern.ts";
import {
  type PatternCategory,
  type PatternFile,
  patternCategories,
} from "#shared/domain/patterns/pattern.ts";
import { taskTypes } from "#shared/domain/patterns/pattern-context.ts";
import type { FittingRuns } from "#shared/domain/patterns/pattern-record.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import {
  type PatternProposal,
  PatternRefused,
  type RecordedRun,
  type RunFigure,
  runFigures,
} from "./patterns-interface.ts";

/** Front matter (plain `key: value` lines) and what follows it. `fields` is null when there is no front matter. */
export interface PatternText {
  readonly fields: ReadonlyMap<string, string> | null;
  readonly body: string;
  /** Lines of the front matter that are no `key: value`. */
  readonly strange: readonly string[];
}

export function splitFrontMatter(markdown: string): PatternText {
  const text = markdown.replace(/\r\n/gu, "\n").replace(/^\uFEFF/u, "");
  const match = /^---\n([\s\S]*?)\n---[ \t]*(?:\n|$)/u.exec(text);
  if (!match) return { fields: null, body: text.trim(), strange: [] };
  const fields = new Map<string, string>();
  const strange: string[] = [];
  for (const line of (match[1] ?? "").split("\n")) {
    if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
    const field = /^([a-z][a-z_]*):(.*)$/u.exec(line);
    const key = field?.[1];
    if (key === undefined || fields.has(key)) strange.push(line);
    else fields.set(key, (field?.[2] ?? "").trim().replace(/^"(.*)"$/u, "$1"));
  }
  return { fields, body: text.slice(match[0].length).trim(), strange };
}

/** Optional keys of the front matter: evidence and context. */
export const keptKeys: readonly string[] = [
  "evidence",
  "applies",
  "task_types",
  "languages",
  "folders",
  "words",
];

/**
 * The file as it is written to the branch: the front matter is generated, so it always agrees with what was
 * approved.
 */
export function renderPattern(proposal: PatternProposal): string {
  const { fields, body } = splitFrontMatter(proposal.markdown);
  const kept = [...(fields ?? [])].filter(([key]) => keptKeys.includes(key));
  const lines = [
    `name: ${proposal.name}`,
    `category: ${proposal.category}`,
    `confidence: ${proposal.confidence}`,
    `run: ${proposal.run}`,
    ...kept.map(([key, value]) => `${key}: ${value}`),
  ];
  return `---\n${lines.join("\n")}\n---\n\n${body}\n`;
}

/** SHA-256 of the approved file: the card shows it and the approval names it. */
export const patternHash = (proposal: PatternProposal): string =>
  createHash("sha256")
    .update(patternPath(proposal.category, proposal.name))
    .update("\0")
    .update(renderPattern(proposal))
    .digest("hex");

export const patternPath = (category: PatternCategory, name: string): string =>
  `patterns/${category}/${name}.md`;

export const patternId = ({ category, name }: Pick<PatternProposal, "category" | "name">): string =>
  `${category}/${name}`;

/** `<category>/<name>` → both; null for anything else. */
export function placeOfId(id: string): { readonly category: PatternCategory; readonly name: string } | null {
  const place = /^([a-z]+)\/([a-z0-9]+(?:-[a-z0-9]+)*)$/u.exec(id);
  const category = patternCategories.find((one) => one === place?.[1]);
  return category && place?.[2] !== undefined ? { category, name: place[2] } : null;
}

export const titleOf = (body: string, fallback: string): string =>
  /^#\s+(\S.*)$/mu.exec(body)?.[1]?.trimEnd() ?? fallback;

/**
 * Parses a file of the branch as a pattern, or returns what is wrong with it. Its folder decides its
 * category.
 */
export function readPattern(path: string, markdown: string): PatternFile | { readonly problem: string } {
  const place = /^patterns\/(.+)\.md$/u.exec(path);
  const found = placeOfId(place?.[1] ?? "");
  if (!found) return { problem: `${path} is not at patterns/<category>/<name>.md.` };
  const { fields, body } = splitFrontMatter(markdown);
  if (!fields) return { problem: `${path} has no front matter between two lines "---".` };
  const confidence = Number(fields.get("confidence"));
  if (!fields.has("confidence") || !(confidence >= 0 && confidence <= 1)) {
    return { problem: `${path}: "confidence" must be a number from 0 to 1.` };
  }
  if (body === "") return { problem: `${path} has no text.` };
  return {
    id: patternId(found),
    ...found,
    confidence,
    title: titleOf(body, found.name),
    body,
    path,
    run: fields.get("run") ?? null,
    evidence: fields.get("evidence") ?? null,
    taskTypes: taskTypes.filter((type) => listIn(fields, "task_types").includes(type)),
    contexts: {
      languages: listIn(fields, "languages"),
      folders: listIn(fields, "folders"),
      words: listIn(fields, "words"),
    },
  };
}

const listIn = (fields: ReadonlyMap<string, string>, key: string): readonly string[] =>
  (fields.get(key) ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "")
    .slice(0, 20);

/** A pattern's claims on figures of runs, and what recorded runs say to them. */
export interface Claim {
  readonly text: string;
  readonly figure: RunFigure;
  readonly holds: (value: number) => boolean;
}

const comparisons: Readonly<Record<string, (value: number, wanted: number) => boolean>> = {
  "=": (value, wanted) => value === wanted,
  "<=": (value, wanted) => value <= wanted,
  ">=": (value, wanted) => value >= wanted,
  "<": (value, wanted) => value < wanted,
  ">": (value, wanted) => value > wanted,
};

/** `agents = 3, mutation_conflicts <= 1` → claims. @throws Error that names the part that cannot be read */
export function readEvidence(evidence: string): readonly Claim[] {
  return evidence.split(",").map((part) => {
    const text = part.trim();
    const match = /^([a-z_]+)\s*(<=|>=|=|<|>)\s*(-?\d+(?:\.\d+)?)$/u.exec(text);
    const figure = runFigures.find((one) => one === match?.[1]);
    const compare = comparisons[match?.[2] ?? ""];
    if (!figure || !compare)
      throw new Error(`"${startOf(text, 100)}" is not a claim about ${runFigures.join(", ")}.`);
    const wanted = Number(match?.[3]);
    return { text, figure, holds: (value: number) => compare(value, wanted) };
  });
}

/** Other runs that all claims hold for, and how many of them completed. @param own is left out */
export function fittingRuns(
  claims: readonly Claim[],
  own: string,
  runs: readonly RecordedRun[],
): FittingRuns {
  const fitting = runs.filter(
    ({ run, figures }) => run !== own && claims.every(({ figure, holds }) => holds(figures[figure])),
  );
  return {
    runs: fitting.length,
    complete: fitting.filter(({ outcome }) => outcome === "complete").length,
  };
}

/** For the library; null where it names no claims that can be read. */
export function evidenceView(
  evidence: string | null,
  source: string | null,
  runs: readonly RecordedRun[],
): PatternEvidence | null {
  if (evidence === null) return null;
  try {
    const claims = readEvidence(evidence);
    const own = runs.find(({ run }) => run === source);
    return {
      claims: claims.map(({ text, figure }) => ({ text, value: own?.figures[figure] ?? null })),
      fitting: fittingRuns(claims, source ?? "", runs),
    };
  } catch {
    // The gate says what is wrong with it; a list shows the others.
    return null;
  }
}

/**
 * Parses a file as a proposal, e.g. when the user edits it or looks at one from another repository.
 *
 * @param id `<category>/<name>`
 * @throws PatternRefused if it has no confidence or no run
 */
export function proposalOf(id: string, markdown: string, isFromElsewhere: boolean): PatternProposal {
  const place = placeOfId(id);
  if (place === null)
    throw new PatternRefused(
      `"${startOf(id, 100)}" is not a pattern name: use <category>/<name>, such as decomposition/types-first.`,
    );
  const { fields } = splitFrontMatter(markdown);
  if (fields === null)
    throw new PatternRefused('The text has no front matter between two lines "---". Keep those lines.');
  const confidence = Number(fields.get("confidence"));
  if (!fields.has("confidence") || !(confidence >= 0 && confidence <= 1))
    throw new PatternRefused('The front matter must have "confidence: " with a number from 0 to 1.');
  const run = fields.get("run") ?? "";
  return { ...place, confidence, run, markdown, ...(isFromElsewhere ? { isFromElsewhere } : {}) };
}
