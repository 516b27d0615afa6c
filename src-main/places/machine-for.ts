/** Which machine gets a place, whoever keeps the list of machines. */
import { chooseMachine } from "#shared/domain/places/lease.ts";
import { type MachineAbout, machineProtocol } from "./machine-contract.ts";
import type { MachineRow, PlaceWish } from "./places-interface.ts";

/** Those with a label, or all; with an agent of another make, if one is named. */
export type MeantMachines = Pick<PlaceWish, "agent"> & { readonly label: PlaceWish["label"] | null };

/** Whether a machine is one of those that are meant. */
export const isFor = (
  { labels, agents = [] }: Pick<MachineAbout, "labels" | "agents">,
  { label, agent }: MeantMachines,
): boolean =>
  (label === null || labels.includes(label)) && (agent === null || agents.some(({ name }) => name === agent));

/** The machine for a place; null: none of them has room. @param heldBy places that a machine holds now */
export function machineFor(
  machines: readonly MachineRow[],
  { label, agent, except, contact }: Omit<PlaceWish, "priority">,
  heldBy: (machine: string) => number,
): string | null {
  const offers = machines.flatMap(({ id, state, about }) =>
    about === null || except.has(id) || !isFor(about, { label, agent })
      ? []
      : {
          machine: id,
          labels: about.labels,
          capacity: about.capacity,
          held: heldBy(id),
          contact: contact(id),
          isDraining: about.protocol !== machineProtocol || state !== "active",
          isSandboxed: ["bubblewrap", "seatbelt"].includes(about.isolation.kind),
        },
  );
  return chooseMachine(offers, label);
}
