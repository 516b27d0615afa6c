/** What the user sees of workers and does with them, by the window and by `hox workers`: the host follows within seconds. */
import { contactOf } from "#shared/domain/places/lease.ts";
import { type InvitationView, invitationView, type MachineView } from "#shared/domain/places/machine-view.ts";
import { holderOf } from "#shared/domain/places/place-holder.ts";
import { machineProtocol } from "./machine-contract.ts";
import { invitationMs, type PlacesDatabase } from "./places-database.ts";
import { defaultWorkerPort, type MachineRow } from "./places-interface.ts";

export function machineViews({ machines, places }: PlacesDatabase, now: number): readonly MachineView[] {
  const all = places.held();
  return machines.all().map(({ id, name, state, about, heardAt }) => {
    const held = all.filter(({ machine }) => machine === id);
    return {
      ...{ id, name, state, about, heardAt },
      contact: heardAt === null ? "gone" : contactOf(heardAt, now),
      problem: problemOf(about),
      held: held.length,
      places: held.map(({ repository, run, worker, epoch, grantedAt }) => ({
        ...{ repository, run, epoch, grantedAt },
        ...holderOf(worker),
      })),
    };
  });
}

function problemOf(about: MachineRow["about"]): MachineView["problem"] {
  if (about === null) return null;
  if (about.protocol !== machineProtocol) return "other version";
  return about.isolation.kind === "none" ? "no sandbox" : null;
}

export const inviteMachine = ({ machines }: PlacesDatabase, now: number): InvitationView =>
  invitationView(machines.invite(), { port: defaultWorkerPort, expiresAt: now + invitationMs });
