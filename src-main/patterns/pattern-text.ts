import { createHash } from "node:crypto";
import {
  type Pattern,
  type PatternCategory,
  type PatternProposal,
  patternCategories,
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
    const field = /^([a-z][a-z_]*):[ \t]*(.*)$/u.exec(line);
    const key = field?.[1];
    if (key === undefined || fields.has(key)) strange.push(line);
    else fields.set(key, (field?.[2] ?? "").trim().replace(/^"(.*)"$/u, "$1"));
  }
  return { fields, body: text.slice(match[0].length).trim(), strange };
}

/** The file as it will stand on the branch: front matter made anew, so the file never disagrees with what was approved. */
export function renderPattern(proposal: PatternProposal): string {
  const { fields, body } = splitFrontMatter(proposal.markdown);
  const kept = [...(fields ?? [])].filter(([key]) => key === "evidence" || key === "applies");
  const lines = [
    `name: ${proposal.name}`,
    `category: ${proposal.category}`,
    `confidence: ${proposal.confidence}`,
    `run: ${proposal.run}`,
    ...kept.map(([key, value]) => `${key}: ${value}`),
  ];
  return `---\n${lines.join("\n")}\n---\n\n${body}\n`;
}

/** SHA-256 of the file that an approval stands for: what the card must show and the approval must name. */
export const patternHash = (proposal: PatternProposal): string =>
  createHash("sha256")
    .update(patternPath(proposal.category, proposal.name))
    .update("\0")
    .update(renderPattern(proposal))
    .digest("hex");

export const patternPath = (category: PatternCategory, name: string): string =>
  `patterns/${category}/${name}.md`;

export const titleOf = (body: string, fallback: string): string =>
  /^#\s+(.+?)\s*$/mu.exec(body)?.[1] ?? fallback;

/** A file of the branch → pattern, or what is wrong with it. Where it stands decides its category. */
export function readPattern(path: string, markdown: string): Pattern | { readonly problem: string } {
  const place = /^patterns\/([a-z]+)\/([a-z0-9]+(?:-[a-z0-9]+)*)\.md$/u.exec(path);
  const category = patternCategories.find((one) => one === place?.[1]);
  const name = place?.[2];
  if (!category || name === undefined)
    return { problem: `${path} does not stand at patterns/<category>/<name>.md.` };
  const { fields, body } = splitFrontMatter(markdown);
  if (!fields) return { problem: `${path} has no front matter between two lines "---".` };
  const confidence = Number(fields.get("confidence"));
  if (!fields.has("confidence") || !(confidence >= 0 && confidence <= 1)) {
    return { problem: `${path}: "confidence" must be a number from 0 to 1.` };
  }
  if (body === "") return { problem: `${path} has no text.` };
  return { name, category, confidence, title: titleOf(body, name), body, path };
}
