/** What the user sees of workers and does with them, by the window and by `hox workers`: the host follows within seconds. */
import { contactOf } from "#shared/domain/places/lease.ts";
import { type InvitationView, invitationView, type MachineView } from "#shared/domain/places/machine-view.ts";
import { holderOf } from "#shared/domain/places/place-holder.ts";
import { machineProtocol } from "./machine-contract.ts";
import { invitationMs } from "./machine-keys.ts";
import { defaultWorkerPort, type MachineRow, type PlacesDatabase } from "./places-interface.ts";
import { builtWorkerProgram } from "./worker-program.ts";

export async function machineViews(
  { machines, places, pool }: PlacesDatabase,
  now: number,
): Promise<readonly MachineView[]> {
  const [all, elsewhere, rows] = [
    await places.held(),
    (await pool?.heldElsewhere()) ?? [],
    await machines.all(),
  ];
  return rows.map(({ id, name, state, about, heardAt }) => {
    const held = all.filter(({ machine }) => machine === id);
    return {
      ...{ id, name, state, about, heardAt },
      contact: heardAt === null ? "gone" : contactOf(heardAt, now),
      ...{ problem: problemOf(about), hostProtocol: machineProtocol },
      held: held.length,
      others: elsewhere.flatMap(({ machine, ...one }) => (machine === id ? one : [])),
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

/** @param direct where the host takes machines with TLS; null: nowhere */
export const inviteMachine = async (
  { machines }: Pick<PlacesDatabase, "machines">,
  direct: string | null,
  now: number,
): Promise<InvitationView> =>
  invitationView(await machines.invite(), {
    ...{ port: defaultWorkerPort, direct, expiresAt: now + invitationMs },
    program: builtWorkerProgram()?.sha256 ?? null,
  });
