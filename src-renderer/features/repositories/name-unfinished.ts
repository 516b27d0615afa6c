import { startOf } from "#shared/domain/text/cut-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { useHost } from "../../state/host-store.ts";
import { notify } from "../../state/notice-store.ts";
import { showRepository } from "../../state/repositories.ts";
import { recentOnly } from "./recent-only.ts";

/** So that a reload does not say it again. */
const storageKey = "hox-unfinished-named";

/**
 * Says once, when a window comes up on a repository, in which others a run is not over that nobody works on: after an end, or a
 * crash, it goes on only where its repository is opened.
 */
export function nameUnfinished(): void {
  const stop = useHost.subscribe(({ app, open, repository }) => {
    // The welcome page lists them itself.
    if (app === null || repository === null) return;
    stop();
    const left = recentOnly(app.recent, open).flatMap(({ path, name, unfinished }) =>
      unfinished === null || unfinished.inOtherHost !== null ? [] : { path, name, goal: unfinished.goal },
    );
    const named = JSON.stringify(left.map(({ path }) => path));
    const [first, ...more] = left;
    if (!first || sessionStorage.getItem(storageKey) === named) return;
    sessionStorage.setItem(storageKey, named);
    const goal = shownLine(startOf(first.goal, 60));
    notify(
      "info",
      more.length === 0
        ? `A run in ${first.name} is not finished: “${goal}”. It continues when you open ${first.name}.`
        : `Runs in ${left.map(({ name }) => name).join(", ")} are not finished. Each continues when you open its repository.`,
      null,
      { label: `Open ${first.name}`, run: () => void showRepository(first.path) },
    );
  });
}
