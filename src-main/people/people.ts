/**
 * Who may use this host beside the user who started it. Kept in the state folder, so that a terminal invites and removes
 * people whether a host runs or not; a running host sees it at its next look.
 */
import { createHash, randomBytes } from "node:crypto";
import { userInfo } from "node:os";
import type { DatabaseSync } from "node:sqlite";
import type { PeopleLogEntry, PersonView } from "#shared/contract/commands/people.ts";
import type { Settings, WindowPreferences } from "#shared/contract/settings.ts";
import type { PersonRole, PersonRoles } from "#shared/domain/people/role.ts";
import { RemediedError } from "#shared/domain/text/remedied-error.ts";
import { log } from "../log/log.ts";
import { createPeopleDatabase, trimLog } from "./people-database.ts";

/** Somebody who is known here, as they are at this moment. */
export interface Person extends PersonRoles {
  readonly name: string;
  readonly settings: OwnSettings;
}

/** How somebody has set up their windows; what they leave out is as the host's. */
export interface OwnSettings {
  readonly theme?: Settings["theme"];
  readonly window?: Partial<WindowPreferences>;
}

/** Who is invited needs an address where the host listens for them. */
export class NotReachable extends RemediedError {
  override readonly name = "NotReachable";
  constructor() {
    super(
      "No host that other people can reach is running here.",
      "Start one: hox serve --listen 0.0.0.0:8443 --tls-cert <file> --tls-key <file>",
    );
  }
}

/** Something about people that cannot be done. */
class PeopleRefusal extends RemediedError {
  override readonly name = "PeopleRefusal";
}

export interface Invitation {
  readonly name: string;
  readonly role: PersonRole;
  /** The root of the one repository that the role is for; null: all. */
  readonly repository: string | null;
  readonly hours: number;
}

type LogLine = Omit<PeopleLogEntry, "at" | "outcome">;

export type People = ReturnType<typeof createPeople>;

/** The user who started the host, for the others. */
export const hostOwner = (): string => userInfo().username;

/** Where an invited person goes. A fragment is never sent to a server. @param origin `https://hox.example.com` */
export const invitationAddress = (origin: string, token: string): string => `${origin}/#token=${token}`;

const digestOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");
const newSecret = (): string => randomBytes(32).toString("base64url");

/** @param now ms since 1970 */
export function createPeople(stateFolder: string, now: () => number = Date.now) {
  const file = createPeopleDatabase(stateFolder);
  const listeners = new Set<() => void>();
  let seen: number | null = null;
  let unreadable: unknown = null;
  const changed = (): void => {
    for (const listener of [...listeners]) listener();
  };
  const person = (name: string): Person | null => {
    const row = file.open(false)?.prepare("SELECT * FROM people WHERE name = ?").get(name);
    return row ? personOf(row) : null;
  };

  return {
    ...createPeopleLog(file.open, now),
    /** Whether anybody but the user who started the host was ever invited. False too where that cannot be read: nobody else is let in then. */
    any(): boolean {
      try {
        const isThere = file.open(false) !== null;
        unreadable = null;
        return isThere;
      } catch (error) {
        if (unreadable === null) log.error("people cannot be read", { error });
        unreadable = error;
        return false;
      }
    },
    /** Why nobody but the user who started the host is let in; null: they are. */
    failure: (): unknown => unreadable,
    named: person,
    list: (): readonly Omit<PersonView, "isPresent">[] => listed(file.open(false), now()),
    /** Names of those who may give roles: an owner of single repositories may not. */
    owners: (): readonly string[] => [
      hostOwner(),
      ...listed(file.open(false), now())
        .filter(({ role }) => role === "own")
        .map(({ name }) => name),
    ],
    /** @returns a token that lets one browser in, once, until it expires */
    invite(invitation: Invitation): { readonly token: string; readonly until: number } {
      if (invitation.name.toLowerCase() === hostOwner().toLowerCase())
        throw new PeopleRefusal(
          `${invitation.name} is the user who runs this host, who owns it.`,
          "Choose another name for the invited person.",
        );
      const token = newSecret();
      const until = now() + invitation.hours * 3_600_000;
      const database = file.open(true) as DatabaseSync;
      together(database, () => {
        const known = person(invitation.name);
        const roles = withRole(known, invitation);
        database
          .prepare(
            "INSERT INTO people (name, role, repositories, settings) VALUES (?, ?, ?, '{}') ON CONFLICT (name) DO UPDATE SET role = excluded.role, repositories = excluded.repositories",
          )
          .run(invitation.name, roles.role, JSON.stringify(roles.repositories));
        database.prepare("DELETE FROM invitations WHERE name = ?").run(invitation.name);
        database
          .prepare("INSERT INTO invitations (digest, name, expires_at) VALUES (?, ?, ?)")
          .run(digestOf(token), known?.name ?? invitation.name, until);
      });
      changed();
      return { token, until };
    },
    /** Exchanges an invitation for an identity. @returns null when it is wrong, used or too old */
    accept(token: string): { readonly identity: string; readonly name: string } | null {
      const database = file.open(false);
      if (!database) return null;
      const identity = newSecret();
      let name: string | null = null;
      together(database, () => {
        const row = database
          .prepare("DELETE FROM invitations WHERE digest = ? AND expires_at > ? RETURNING name")
          .get(digestOf(token), now());
        if (!row) return;
        name = String(row.name);
        database
          .prepare("INSERT INTO identities (digest, name, at) VALUES (?, ?, ?)")
          .run(digestOf(identity), name, now());
      });
      return name === null ? null : { identity, name };
    },
    /** Whose identity it is; null for one that is unknown or was removed. */
    identified(identity: string): Person | null {
      const row = file
        .open(false)
        ?.prepare("SELECT people.* FROM identities JOIN people USING (name) WHERE digest = ?")
        .get(digestOf(identity));
      return row ? personOf(row) : null;
    },
    /** At once: nobody is let in by what they have. */
    remove(name: string): void {
      const removed = file.open(false)?.prepare("DELETE FROM people WHERE name = ?").run(name);
      if (!removed || Number(removed.changes) === 0)
        throw new PeopleRefusal(`No person named ${name} is known here.`, "List all: hox people");
      changed();
    },
    /** Keeps how somebody sets up their windows, part by part. */
    changeSettings(name: string, { theme, window }: OwnSettings): void {
      const before = person(name)?.settings;
      const settings: OwnSettings = {
        ...before,
        ...(theme === undefined ? {} : { theme }),
        window: { ...before?.window, ...window },
      };
      file
        .open(false)
        ?.prepare("UPDATE people SET settings = ? WHERE name = ?")
        .run(JSON.stringify(settings), name);
    },
    /** Told of every change by this process at once, and of those by others when `look` finds them. */
    listen(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Notices what another process has changed. */
    look(): void {
      const version = file.open(false)?.prepare("PRAGMA data_version").get()?.data_version;
      if (version === undefined || version === seen) return;
      // Also the first time: the file may be new, or others may have written before this look.
      seen = Number(version);
      changed();
    },
    close: file.close,
  };
}

function together(database: DatabaseSync, write: () => void): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    write();
    database.exec("COMMIT");
  } catch (error) {
    // A failing disk makes SQLite roll back itself.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

const personOf = (row: Record<string, unknown>): Person => ({
  name: String(row.name),
  role: row.role as PersonRole | null,
  repositories: JSON.parse(String(row.repositories)) as PersonRoles["repositories"],
  settings: JSON.parse(String(row.settings)) as OwnSettings,
});

/** A role for all repositories takes the place of every other. */
function withRole(known: PersonRoles | null, { role, repository }: Invitation): PersonRoles {
  if (repository === null) return { role, repositories: {} };
  return {
    role: known?.role ?? null,
    repositories: { ...known?.repositories, [repository]: role },
  };
}

function listed(database: DatabaseSync | null, at: number): readonly Omit<PersonView, "isPresent">[] {
  if (!database) return [];
  return database
    .prepare(
      `SELECT people.*,
         (SELECT count(*) FROM identities WHERE identities.name = people.name) AS identities,
         (SELECT max(expires_at) FROM invitations WHERE invitations.name = people.name AND expires_at > ?) AS until
       FROM people ORDER BY people.name`,
    )
    .all(at)
    .map((row) => {
      const { name, role, repositories } = personOf(row);
      return {
        ...{ name, role, repositories },
        identities: Number(row.identities),
        invitedUntil: row.until === null ? null : Number(row.until),
      };
    });
}

/** Entries after which the oldest of the log are removed. */
const trimEvery = 1_000;

/** What people did, written down before it is done and again when it is over: a host that ends in between leaves "unknown". */
function createPeopleLog(open: (create: boolean) => DatabaseSync | null, now: () => number) {
  const add = (
    { name, did, repository, run }: LogLine,
    outcome: PeopleLogEntry["outcome"],
  ): number | null => {
    const database = open(false);
    if (database === null) return null;
    const { lastInsertRowid } = database
      .prepare("INSERT INTO log (at, name, did, repository, run, outcome) VALUES (?, ?, ?, ?, ?, ?)")
      .run(now(), name, did, repository, run, outcome);
    const number = Number(lastInsertRowid);
    if (number % trimEvery === 0) trimLog(database);
    return number;
  };
  return {
    /** @returns its number, for `ended`; null where one user has the host to themselves */
    begun: (line: LogLine): number | null => add(line, "unknown"),
    /** What was not even begun. */
    refused: (line: LogLine): void => void add(line, "refused"),
    ended(number: number | null, outcome: PeopleLogEntry["outcome"]): void {
      if (number === null) return;
      open(false)?.prepare("UPDATE log SET outcome = ? WHERE seq = ?").run(outcome, number);
    },
    /** The newest first. */
    log: (limit: number): readonly PeopleLogEntry[] =>
      (open(false)?.prepare("SELECT * FROM log ORDER BY seq DESC LIMIT ?").all(limit) ?? []).map((row) => ({
        at: Number(row.at),
        name: String(row.name),
        did: String(row.did),
        repository: row.repository === null ? null : String(row.repository),
        run: row.run === null ? null : String(row.run),
        outcome: row.outcome as PeopleLogEntry["outcome"],
      })),
  };
}
