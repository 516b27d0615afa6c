/** The machines of a pool: each has one key, which counts at every host of the pool. */
import { hashOf, invitationMs, isKey, nameFor, newMachineId, newSecret } from "../machine-keys.ts";
import { machineOf } from "../places-database.ts";
import type { Machines } from "../places-interface.ts";
import type { Postgres } from "./postgres.ts";

/** @param host id of this one, to which a machine that is heard is connected */
export function poolMachines({ transaction }: Postgres, host: string): Machines {
  const tell = (sql: string, values: readonly unknown[]): Promise<void> =>
    transaction(async (ask) => void (await ask(sql, values)));
  return {
    invite: () =>
      transaction(async (ask, now) => {
        const invitation = newSecret();
        await ask("DELETE FROM hox.invitation WHERE expires_at <= $1", [now]);
        await ask("INSERT INTO hox.invitation VALUES ($1, $2)", [hashOf(invitation), now + invitationMs]);
        return invitation;
      }),
    isInvited: (invitation) =>
      transaction(async (ask, now) => {
        const known = await ask("SELECT 1 FROM hox.invitation WHERE hash = $1 AND expires_at > $2", [
          hashOf(invitation),
          now,
        ]);
        return known.length > 0;
      }),
    enrol: (invitation, name) =>
      transaction(async (ask, now) => {
        const taken = await ask(
          "DELETE FROM hox.invitation WHERE hash = $1 AND expires_at > $2 RETURNING hash",
          [hashOf(invitation), now],
        );
        if (taken.length === 0) return null;
        const [id, key] = [newMachineId(), newSecret()];
        const same = await ask("SELECT 1 FROM hox.machine WHERE name = $1", [name]);
        await ask("INSERT INTO hox.machine VALUES ($1, $2, $3, 'active', NULL, NULL)", [
          id,
          nameFor(name, id, same.length > 0),
          hashOf(key),
        ]);
        return { id, key };
      }),
    authenticate: (id, key) =>
      transaction(async (ask) => {
        const [row] = await ask("SELECT * FROM hox.machine WHERE id = $1", [id]);
        return row && isKey(String(row.key), key) ? machineOf(row) : null;
      }),
    all: () =>
      transaction(async (ask) => (await ask("SELECT * FROM hox.machine ORDER BY name")).map(machineOf)),
    heard: (id, said) =>
      transaction(async (ask, now) => {
        await ask("UPDATE hox.machine SET about = $2, heard_at = $3 WHERE id = $1", [
          id,
          JSON.stringify(said),
          now,
        ]);
        await ask(
          `INSERT INTO hox.connection SELECT $1, id, $3 FROM hox.machine WHERE id = $2
           ON CONFLICT (host, machine) DO UPDATE SET heard_at = $3`,
          [host, id, now],
        );
      }),
    setState: (id, state) => tell("UPDATE hox.machine SET state = $2 WHERE id = $1", [id, state]),
    remove: (id) => tell("DELETE FROM hox.machine WHERE id = $1", [id]),
    areExpected: () =>
      transaction(async (ask, now) => {
        const expected = await ask(
          "SELECT 1 FROM hox.machine UNION SELECT 1 FROM hox.invitation WHERE expires_at > $1",
          [now],
        );
        return expected.length > 0;
      }),
  };
}
