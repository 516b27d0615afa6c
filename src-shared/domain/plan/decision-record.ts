/** The decision record in the commit that holds contracts: what was decided, and what builds on it. (HYLO-1) */
import { parseDescription } from "../change-metadata/trailers.ts";
import { addTrailers } from "../change-metadata/write-trailers.ts";
import type { Plan } from "./plan.ts";

const heading = "Decision record";

/**
 * A description with the record at the end of its body; an existing one is replaced. Each entry is one line,
 * so that a model's text cannot become a trailer.
 * @param summary by the author of the contracts; without it there is no record
 */
export function withDecisionRecord(
  description: string,
  {
    plan,
    summary,
  }: { readonly plan: Pick<Plan, "summary" | "contracts" | "tasks">; readonly summary: string },
): string {
  const decided = oneLine(summary);
  if (decided === "") return description;
  const { subject, body, trailers } = parseDescription(description);
  const before = body.split(`\n${heading}\n`)[0] ?? "";
  const { files } = plan.contracts;
  const lines = [
    ["Decided", decided],
    ["Serves", oneLine(plan.summary)],
    ["Contracts", files.join(", ")],
    ["Builds on it", plan.tasks.map(({ title }) => oneLine(title)).join("; ")],
  ].flatMap(([name, text]) => (text === "" ? [] : [`- ${name}: ${text}`]));
  const own = before === heading || before.startsWith(`${heading}\n`) ? "" : before.trim();
  const text = [subject, own, `${heading}\n${lines.join("\n")}`].filter((part) => part !== "").join("\n\n");
  return trailers.reduce((all, { key, value }) => addTrailers(all, key, [value]), `${text}\n`);
}

/** The record in a description; null where there is none. */
export function decisionRecordIn(description: string): string | null {
  const { body } = parseDescription(description);
  const at = `\n${body}`.lastIndexOf(`\n${heading}\n`);
  return at < 0 ? null : `\n${body}`.slice(at).trim();
}

const oneLine = (text: string): string => text.replaceAll(/\s+/gu, " ").trim();
