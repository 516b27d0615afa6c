import { z } from "zod";
import { occurrencesOf } from "#shared/domain/text/occurrences.ts";
import { JjError } from "../../../../jj/errors.ts";
import { protection } from "../../../../tools/protected-files.ts";
import type { RunGraph, RunReader } from "../../../ports.ts";
import { tipOf } from "../../../workers/hierarchy.ts";

const path = z
  .string()
  .min(1)
  .max(500)
  .regex(/^(?!\/)(?!.*(?:^|\/)\.\.?(?:\/|$))[^\0\r\n\\]+$/u, "must be a plain relative path");

export const mutationShape = z.strictObject({
  title: z.string().min(1).max(200),
  reason: z.string().min(1).max(10_000),
  edits: z
    .array(
      z.union([
        z.strictObject({ path, old_text: z.string().min(1), new_text: z.string() }),
        z.strictObject({ path, content: z.string().max(1_000_000) }),
      ]),
    )
    .min(1)
    .max(100),
});
export type MutationProposal = z.infer<typeof mutationShape>;

/** Whole contents after a proposal's edits, computed on the files as the last decision left them. */
export async function filesAfter(
  run: RunReader & RunGraph,
  orchestrator: string,
  edits: MutationProposal["edits"],
): Promise<Readonly<Record<string, string>>> {
  const tip = await run.repository.change(tipOf(run, orchestrator));
  if (!tip) throw new EditProblem("The change that the decision builds on is gone.");
  const guard = protection(run.config.protectedFiles);
  const files = new Map<string, string>();
  for (const edit of edits) {
    if (guard.covers(edit.path)) throw new EditProblem(`${edit.path} is protected.`);
    if ("content" in edit) {
      files.set(edit.path, edit.content);
      continue;
    }
    const text = files.get(edit.path) ?? (await textOf(run, tip.commitId, edit.path));
    const [at, ...others] = occurrencesOf(text, edit.old_text);
    if (at === undefined || others.length > 0)
      throw new EditProblem(
        `old_text occurs ${at === undefined ? 0 : others.length + 1} times in ${edit.path}; it must occur exactly once.`,
      );
    files.set(edit.path, text.slice(0, at) + edit.new_text + text.slice(at + edit.old_text.length));
  }
  return Object.fromEntries(files);
}

/** What is wrong with a proposal's edits, in words for the one who made them, or null. */
export async function editsProblem(
  run: RunReader & RunGraph,
  orchestrator: string,
  edits: MutationProposal["edits"],
): Promise<string | null> {
  try {
    await filesAfter(run, orchestrator, edits);
    return null;
  } catch (error) {
    if (error instanceof EditProblem) return error.message;
    throw error;
  }
}

export class EditProblem extends Error {
  override readonly name = "EditProblem";
}

async function textOf(run: RunGraph, commit: string, file: string): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await run.repository.readFile(commit, file));
  } catch (error) {
    if (error instanceof JjError && error.kind === "no-such-path")
      throw new EditProblem(`${file} is not there. Give its whole content to create it.`);
    if (error instanceof TypeError) throw new EditProblem(`${file} is not text.`);
    throw error;
  }
}
