/** Which runs of the list are looked at: kept while the window is open. */
import { create } from "zustand";
import type { RepositoryView } from "#shared/contract/views/app.ts";
import { showPage } from "../../state/selection-store.ts";

interface RunsState {
  /** Null: the newest. */
  readonly chosen: string | null;
  /** The run that the chosen one is compared with. */
  readonly other: string | null;
  readonly search: string;
}

export const useRuns = create<RunsState>(() => ({ chosen: null, other: null, search: "" }));

/** Runs whose landing was undone; changes when a landing is undone or redone. */
export const takenBackRuns = (repository: RepositoryView | null): string =>
  (repository?.runs ?? []).flatMap(({ id, isTakenBack }) => (isTakenBack ? [id] : [])).join();

/** A second one stays what the first is compared with, unless it is the same. */
export const chooseRun = (chosen: string): void =>
  useRuns.setState(({ other }) => ({ chosen, other: other === chosen ? null : other }));

export const compareWith = (other: string | null): void => useRuns.setState({ other });

/** Opens the report on a run; null: on the newest. */
export function openReport(run: string | null): void {
  useRuns.setState({ chosen: run, other: null, search: "" });
  showPage("runs");
}
