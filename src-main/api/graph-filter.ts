import { translateRevset } from "#shared/domain/revset/revset.ts";
import { JjError } from "../jj/errors.ts";
import type { Repository } from "../jj/repository-interface.ts";
import { Refusal } from "./refusal.ts";
import { mistakeFoundByJj } from "./revset-mistake.ts";

/** An error in a revset, with its position in the user's text. */
export class RevsetRefusal extends Refusal {
  override readonly name = "RevsetRefusal";
  readonly start: number;
  readonly end: number;
  constructor({
    message,
    start,
    end,
    expected,
  }: { message: string; start: number; end: number; expected?: readonly string[] }) {
    super(message, expected && expected.length > 0 ? `Write ${expected.slice(0, 5).join(", ")}.` : null);
    this.start = start;
    this.end = end;
  }
}

/** Hox's functions translated, or `RevsetRefusal`. */
export async function revsetForJj(repository: Pick<Repository, "notes">, text: string): Promise<string> {
  const translation = translateRevset(text, await repository.notes());
  if (!translation.ok) throw new RevsetRefusal(translation.error);
  return translation.revset;
}

/** Commit ids that a revset names, jj's own language mixed with Hox's functions. */
export async function filterGraph(
  repository: Repository,
  revset: string,
): Promise<{ commits: readonly string[] }> {
  const translated = await revsetForJj(repository, revset);
  try {
    const found = await repository.query(translated);
    return { commits: found.map((change) => change.commitId) };
  } catch (error) {
    const mistake = error instanceof JjError ? mistakeFoundByJj(revset, error) : null;
    throw mistake ? new RevsetRefusal(mistake) : error;
  }
}
