import { ChevronDown, FolderGit2 } from "lucide-react";
import type { RecentRepository, RepositoryView } from "#shared/contract/views/app.ts";
import { Menu, type MenuEntry } from "../../kit/menu.tsx";
import { withRefusals } from "../../registry/registry.ts";
import { type HostStoreState, useHost, usePartOfHost } from "../../state/host-store.ts";
import {
  nameAmong,
  openElsewhere,
  showNextRepository,
  showRepository,
  useSwitching,
} from "../../state/repositories.ts";
import { openDialog } from "../../state/selection-store.ts";
import { closeRepository, closeShownRepository } from "./close-repository.ts";
import { groupRecent, recentOnly, removeRecent } from "./remove-recent.ts";
import { repositoryLine, unfinishedLine } from "./repository-lines.ts";

const recentShown = 6;

/** The repository on screen; goes to one that is open beside it, opens another one, or closes one. */
export function RepositoryMenu() {
  // What its runs cost changes many times a minute, and nothing of it is shown here.
  const repository = usePartOfHost((state) => named(state.repository));
  const open = useHost((state) => state.open);
  const app = useHost((state) => state.app);
  const switching = useSwitching((state) => state.to);
  if (!repository) return null;
  const name = nameAmong(repository, open);
  return (
    <Menu
      entries={withRefusals(entriesOf({ app, open, repository }))}
      trigger={
        <button
          type="button"
          title={repository.path}
          aria-busy={switching !== null}
          className="inline-flex h-7 max-w-52 shrink-0 items-center gap-1.5 rounded-md px-2 font-medium hover:bg-hover"
        >
          <FolderGit2 size={15} className="shrink-0 text-muted" aria-hidden />
          <span dir="auto" className="truncate">
            {switching === null ? name : `Opening ${switching.split(/[\\/]/u).at(-1)}…`}
          </span>
          <ChevronDown size={13} className="shrink-0 text-faint" aria-hidden />
        </button>
      }
    />
  );
}

type Named = Pick<RepositoryView, "path" | "name">;
const named = (repository: RepositoryView | null): Named | null =>
  repository && { path: repository.path, name: repository.name };

function entriesOf(
  state: Pick<HostStoreState, "app" | "open"> & { readonly repository: Named | null },
): readonly MenuEntry[] {
  const { app, open, repository } = state;
  const others = openElsewhere(state);
  const all = recentOnly(app?.recent ?? [], open);
  const { repositories, rehearsals } = groupRecent(all);
  const recent = repositories.slice(0, recentShown);
  const nameOf = ({ path, name }: Named): string => nameAmong({ path, name }, [...open, ...all]);
  const openEntry = (one: RecentRepository): MenuEntry => ({
    label: nameOf(one),
    ...(one.unfinished === null
      ? {}
      : { note: unfinishedLine(one.unfinished), isWaiting: one.unfinished.waiting > 0 }),
    onSelect: () => void showRepository(one.path),
  });
  return [
    ...others.map(
      (view): MenuEntry => ({
        label: nameAmong(view, open),
        note: repositoryLine(view),
        isWaiting: view.waiting.length > 0,
        onSelect: () => void showRepository(view.path),
      }),
    ),
    ...(others.length > 0
      ? [
          { label: "The next open repository", keys: "alt+p", onSelect: showNextRepository },
          "separator" as const,
        ]
      : []),
    ...recent.map(openEntry),
    ...(rehearsals.length > 0 ? [{ label: "Past rehearsals", items: rehearsals.map(openEntry) }] : []),
    ...(all.length > 0
      ? [
          {
            label: "Remove from this list",
            command: "repository.forgetRecent" as const,
            items: [...recent, ...rehearsals].map((one) => ({
              label: nameOf(one),
              onSelect: () => void removeRecent(one),
            })),
          },
          "separator" as const,
        ]
      : []),
    { label: "Recorded runs…", onSelect: () => openDialog("recorded-runs") },
    {
      label: "Open a repository…",
      keys: "mod+o",
      command: "repository.open",
      onSelect: () => openDialog("open-repository"),
    },
    {
      label: `Close ${repository === null ? "this repository" : nameAmong(repository, open)}`,
      command: "repository.close",
      onSelect: closeShownRepository,
    },
    ...(others.length > 0
      ? [
          {
            label: "Close another",
            command: "repository.close" as const,
            items: others.map((view) => ({
              label: nameAmong(view, open),
              note: repositoryLine(view),
              onSelect: () => void closeRepository(view),
            })),
          },
        ]
      : []),
  ];
}
