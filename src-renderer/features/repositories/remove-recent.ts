import type { OpenRepositoryView, RecentRepository } from "#shared/contract/views/app.ts";
import { client } from "../../client.ts";
import { attempt, notify } from "../../state/notify.ts";

/** Removes a repository from the list, with a way back. Its folder is kept. */
export async function removeRecent({
  path,
  name,
}: Pick<RecentRepository, "path" | "name">): Promise<boolean> {
  const isRemoved = await attempt(`${name} could not be removed from the list`, () =>
    client.repository.forgetRecent({ path }),
  );
  if (isRemoved)
    notify("info", `Removed ${name} from the list. Its folder is kept.`, null, {
      action: {
        label: "Undo",
        run: () =>
          void attempt(`${name} could not be restored`, () => client.repository.restoreRecent({ path })),
      },
    });
  return isRemoved;
}

/** Those that were open once and are not now, as far as they are still there. */
export const recentOnly = (
  recent: readonly RecentRepository[],
  open: readonly OpenRepositoryView[],
): readonly RecentRepository[] =>
  recent.filter(({ exists, path }) => exists && !open.some((view) => view.path === path));

/** Repositories apart from the copies that rehearsals were played in. */
export function groupRecent(recent: readonly RecentRepository[]): {
  readonly repositories: readonly RecentRepository[];
  readonly rehearsals: readonly RecentRepository[];
} {
  return {
    repositories: recent.filter(({ isRehearsal }) => !isRehearsal),
    rehearsals: recent.filter(({ isRehearsal }) => isRehearsal),
  };
}
