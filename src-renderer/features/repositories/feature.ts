import { startOf } from "#shared/domain/text/format-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import type { Action } from "../../registry/action.ts";
import type { Feature } from "../../registry/feature.ts";
import { hasRepository, useHost } from "../../state/host-store.ts";
import { notify } from "../../state/notify.ts";
import {
  goToCardIn,
  nameAmong,
  openElsewhere,
  showNextRepository,
  showRepository,
} from "../../state/repositories.ts";
import { closeShownRepository } from "./close-repository.ts";
import { recentOnly } from "./remove-recent.ts";
import { repositoryLine, unfinishedLine } from "./repository-lines.ts";

/** So that a reload does not say it again. */
const storageKey = "hox-unfinished-named";

/**
 * Tells once, when a window opens a repository, which others have an unfinished run without a host: after an exit or a
 * crash, a run resumes only when its repository is opened.
 */
function nameUnfinished(): void {
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
      { action: { label: `Open ${first.name}`, run: () => void showRepository(first.path) } },
    );
  });
}

/** Which of several repositories is on screen, and the ways to the others. */
export const repositories: Feature = {
  start: nameUnfinished,
  actions: [
    {
      id: "next-repository",
      title: "Show the next open repository",
      group: "Repository",
      keys: "alt+p",
      words: "switch other project",
      available: () => openElsewhere(useHost.getState()).length > 0,
      run: showNextRepository,
    },
    {
      id: "close",
      title: "Close this repository",
      group: "Repository",
      command: "repository.close",
      available: hasRepository,
      run: closeShownRepository,
    },
  ],
  commands: repositoryCommands,
};

/** Each repository by its name: those that are open with what they do, and what waits there, then the others. */
function repositoryCommands(): readonly Action[] {
  const { app, open, repository } = useHost.getState();
  const others = openElsewhere({ open, repository });
  const recent = recentOnly(app?.recent ?? [], open);
  return [
    ...others.map((view): Action => {
      const [card] = view.waiting;
      return {
        id: `go-to-${view.path}`,
        title: `Go to ${nameAmong(view, open)} — ${repositoryLine(view)}`,
        group: "Repository",
        words: "switch repository",
        run: () => void (card ? goToCardIn(view.path, card.id) : showRepository(view.path)),
      };
    }),
    ...recent.map(
      ({ path, name, unfinished }): Action => ({
        id: `open-${path}`,
        title: `Open recent: ${nameAmong({ path, name }, [...open, ...recent])}${
          unfinished === null ? "" : ` — ${unfinishedLine(unfinished)}`
        }`,
        group: "Repository",
        words: "repository",
        run: () => void showRepository(path),
      }),
    ),
  ];
}
