/** The one change that a person names, and what it is compared with. */
import { parseDescription } from "#shared/domain/graph-words/trailers.ts";
import { translateRevset } from "#shared/domain/revset/revset.ts";
import type { Change } from "#shared/graph/change.ts";
import type { Repository } from "../../../../jj/repository-interface.ts";
import { EngineRefusal } from "../../../engine-errors.ts";

/** @throws EngineRefusal that names the expression and what to say instead */
export async function oneChange(repository: Repository, wish: string): Promise<Change> {
  const translated = translateRevset(wish, await repository.notes());
  if (!translated.ok)
    throw new EngineRefusal(
      `"${wish}", character ${translated.error.start + 1}: ${translated.error.message}`,
      "Correct the expression; `jj help -k revsets` describes the language.",
    );
  const [found, ...others] = await repository.query(translated.revset, { limit: 2 });
  if (found && others.length === 0) return found;
  throw new EngineRefusal(
    found ? `"${wish}" matches several changes.` : `"${wish}" matches no change.`,
    found
      ? "Give exactly one: a change ID, a bookmark, or `latest(…)` around the expression."
      : "List changes with `hox log`.",
  );
}

/** @throws EngineRefusal where there is nothing to judge */
export async function judgeable(repository: Repository, wish: string): Promise<Change> {
  const change = await oneChange(repository, wish);
  if (change.parents.length === 0)
    throw new EngineRefusal(
      "This is jj's root commit: there is nothing to validate.",
      "Give another change.",
    );
  if (change.conflict)
    throw new EngineRefusal(
      `${change.changeId.slice(0, 12)} has conflicts.`,
      "Resolve them, then validate again.",
    );
  return change;
}

export const titleOf = ({ description, changeId }: Change): string =>
  parseDescription(description).subject || changeId.slice(0, 12);

/** What its description says that it does; the trailers say nothing of that. */
export const goalOf = ({ description }: Change): string => {
  const { subject, body } = parseDescription(description);
  return [subject, body].filter((part) => part.trim() !== "").join("\n\n");
};

/** The commit before it of which it is known how its checks come out; null where it stands on root or on several. */
export const baseOf = async (repository: Repository, { parents }: Change): Promise<Change | null> => {
  const [parent, ...others] = parents;
  if (parent === undefined || others.length > 0) return null;
  const base = await repository.change(parent);
  return base === null || base.parents.length === 0 ? null : base;
};
