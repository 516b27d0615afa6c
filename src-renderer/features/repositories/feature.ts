import type { Action } from "../../registry/action.ts";
import type { Feature } from "../../registry/feature.ts";
import { hasRepository, useHost } from "../../state/host-store.ts";
import {
  goToCardIn,
  nameAmong,
  openElsewhere,
  showNextRepository,
  showRepository,
} from "../../state/repositories.ts";
import { closeShownRepository } from "./close-repository.ts";
import { nameUnfinished } from "./name-unfinished.ts";
import { recentOnly } from "./recent-only.ts";
import { repositoryLine, unfinishedLine } from "./repository-lines.ts";

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
