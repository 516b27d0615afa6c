import type { RecentRepository } from "#shared/contract/views/app.ts";
import type { OpenRepositoryView } from "#shared/contract/views/open-repositories.ts";

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
