/** Several repositories in one host: which one this window shows, the status of the others, and switching to them. */
import { create } from "zustand";
import type { OpenRepositoryView } from "#shared/contract/views/app.ts";
import { client, followShown } from "../client.ts";
import { goToCard, goToRow } from "./go-to.ts";
import { type HostStoreState, useHost } from "./host-store.ts";
import { attempt } from "./notify.ts";
import { showRun } from "./other-runs.ts";
import { keyOfWorker, showPage } from "./selection-store.ts";

/** What this window showed last, for a reload and for a connection that was lost. */
const storageKey = "hox-repository";

/** The repository that was asked for and is not on screen yet. */
export const useSwitching = create<{ readonly to: string | null }>(() => ({ to: null }));

export const shownPath = (): string | null => useHost.getState().repository?.path ?? null;

/** What this window shows, or showed before a reload. */
export const lastShown = (): string | null => shownPath() ?? sessionStorage.getItem(storageKey);

/** Says with every call which repository and run are on screen, and remembers the repository. */
export function followShownRepository(): void {
  followShown(() => ({ repository: shownPath(), run: useHost.getState().run?.id ?? null }));
  useHost.subscribe(({ app, repository }, before) => {
    if (app === null || (before.app !== null && repository?.path === before.repository?.path)) return;
    if (repository) sessionStorage.setItem(storageKey, repository.path);
    else sessionStorage.removeItem(storageKey);
  });
}

/** Those that are open and not on screen. */
export const openElsewhere = ({
  open,
  repository,
}: Pick<HostStoreState, "open"> & {
  readonly repository: { readonly path: string } | null;
}): readonly OpenRepositoryView[] => open.filter(({ path }) => path !== repository?.path);

/** The name of a repository, with its folder if another one has the same name. */
export function nameAmong(
  { path, name }: { readonly path: string; readonly name: string },
  all: readonly { readonly path: string; readonly name: string }[],
): string {
  if (!all.some((other) => other.name === name && other.path !== path)) return name;
  const above = path.split(/[\\/]/u).at(-2);
  return above ? `${name} (${above})` : name;
}

/** Shows a repository in this window, opening it where it is not open; answers whether that was done. */
export async function showRepository(path: string): Promise<boolean> {
  if (shownPath() === path) return true;
  useSwitching.setState({ to: path });
  try {
    return await attempt(`${path} was not opened`, () => client.repository.open({ path }));
  } finally {
    if (useSwitching.getState().to === path) useSwitching.setState({ to: null });
  }
}

/** A card of any open repository: its repository and its run come on screen with it. */
export async function goToCardIn(path: string, card: string): Promise<void> {
  if (!(await showRepository(path))) return;
  await untilShown(path);
  // By then it may be answered in another window: its repository is on screen all the same.
  if (useHost.getState().inbox.some(({ id }) => id === card)) goToCard(card);
}

/** A run of any open repository. */
export async function goToRunIn(path: string, run: string): Promise<void> {
  if (!(await showRepository(path))) return;
  await untilShown(path);
  showRun(run);
}

/** What an agent of any open repository works on, on its graph. */
export async function goToWorkerIn(path: string, run: string, worker: string): Promise<void> {
  await goToRunIn(path, run);
  if (shownPath() !== path) return;
  showPage(null);
  const found = useHost.getState().run?.workers.find(({ name }) => name === worker);
  goToRow(found?.changeId ?? keyOfWorker(worker));
}

/** What the host has shown comes with the next events. */
const untilShown = (path: string): Promise<void> =>
  new Promise((resolve) => {
    if (shownPath() === path) return resolve();
    const stop = useHost.subscribe(({ repository }) => {
      if (repository?.path !== path) return;
      stop();
      // Whoever follows the same event goes first, and forgets what was chosen in the repository before.
      queueMicrotask(resolve);
    });
  });

/** The one that was opened after the one on screen, and after the last the first. */
export function showNextRepository(): void {
  const { open } = useHost.getState();
  const all = open.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const next = all[(all.findIndex(({ path }) => path === shownPath()) + 1) % all.length];
  if (next) void showRepository(next.path);
}
