import { ChevronDown, FolderGit2 } from "lucide-react";
import type { RecentRepository } from "#shared/contract/views/app.ts";
import { client } from "../../client.ts";
import type { MenuEntry } from "../../kit/menu.tsx";
import { Menu } from "../../kit/menu.tsx";
import { useHost } from "../../state/host-store.ts";
import { attempt } from "../../state/notice-store.ts";
import { openDialog } from "../../state/selection-store.ts";

const recentShown = 6;

/** The open repository; opens another one or closes it. */
export function RepositoryMenu() {
  const repository = useHost((state) => state.repository);
  const recent = useHost((state) => state.app?.recent ?? null);
  if (!repository) return null;
  const others = (recent ?? [])
    .filter((other) => other.exists && other.path !== repository.path)
    .slice(0, recentShown);
  const entries: MenuEntry[] = [
    ...others.map((other): MenuEntry => ({ label: labelOf(other), onSelect: () => open(other.path) })),
    ...(others.length > 0 ? (["separator"] as const) : []),
    { label: "Recorded runs…", onSelect: () => openDialog("recorded-runs") },
    { label: "Open a repository…", keys: "mod+o", onSelect: () => openDialog("open-repository") },
    {
      label: "Close this repository",
      onSelect: () => void attempt("The repository was not closed", () => client.repository.close()),
    },
  ];
  return (
    <Menu
      entries={entries}
      trigger={
        <button
          type="button"
          title={repository.path}
          className="inline-flex h-7 max-w-52 shrink-0 items-center gap-1.5 rounded-md px-2 font-medium hover:bg-hover"
        >
          <FolderGit2 size={15} className="shrink-0 text-muted" aria-hidden />
          <span dir="auto" className="truncate">
            {repository.name}
          </span>
          <ChevronDown size={13} className="shrink-0 text-faint" aria-hidden />
        </button>
      }
    />
  );
}

/** What works or waits in another repository is seen from here. */
const labelOf = ({ name, unfinished }: RecentRepository): string =>
  unfinished === null
    ? name
    : `${name} · ${unfinished.waiting > 0 ? "a run waits for you" : "a run goes on"}`;

const open = (path: string): void =>
  void attempt(`${path} was not opened`, () => client.repository.open({ path }));
