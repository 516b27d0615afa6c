/** Other machines on which agents work. */
import { type FleetView, labelCounts } from "#shared/domain/places/machine-view.ts";
import { type HostStoreState, useHost, usePartOfHost } from "./host-store.ts";

/** The name of the machine on which an agent of the run on screen works; null: this one, or the time shown is past. */
export function machineOf({ app, run }: Pick<HostStoreState, "app" | "run">, worker: string): string | null {
  const holds = ({ places }: FleetView["machines"][number]): boolean =>
    places.some((place) => place.run === run?.id && place.worker === worker);
  return app?.fleet.machines.find(holds)?.name ?? null;
}

export const useMachineOf = (worker: string | null): string | null =>
  useHost((state) => (worker === null ? null : machineOf(state, worker)));

/** Labels by which workers can be chosen; empty without workers. */
export const useWorkerLabels = (): ReturnType<typeof labelCounts> =>
  usePartOfHost(({ app }) => labelCounts(app?.fleet.machines ?? []));
