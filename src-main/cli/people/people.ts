import { resolve } from "node:path";
import { invitationHours, type PersonView } from "#shared/contract/commands/people.ts";
import type { PersonRole } from "#shared/domain/people/role.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { defaultStateFolder } from "../../config/state-folder.ts";
import {
  createPeople,
  hostOwner,
  invitationAddress,
  NotReachable,
  type People,
} from "../../people/people.ts";
import { servedAt } from "../../transport/serving-note.ts";
import { type CommonOptions, type ExitCode, exitCode, invocationFolder } from "../command-line.ts";
import { print, show } from "../output.ts";
import { jjRootOf } from "../repository.ts";

interface PeopleOptions extends CommonOptions {
  readonly state?: string;
}

const stateFolderOf = ({ state }: PeopleOptions): string =>
  state === undefined ? defaultStateFolder() : resolve(invocationFolder(), state);

async function withPeople<T>(options: PeopleOptions, work: (people: People) => T | Promise<T>): Promise<T> {
  const people = createPeople(stateFolderOf(options));
  try {
    return await work(people);
  } finally {
    people.close();
  }
}

export const list = (options: PeopleOptions): Promise<ExitCode> =>
  withPeople(options, (people) => {
    const all = people.list();
    if (all.length === 0 && !options.json)
      print("Only you. Invite a person: hox people invite <name> --role watch");
    for (const one of all) show(options, { kind: "person", ...one }, personLine(one));
    return exitCode.done;
  });

function personLine({
  name,
  role,
  repositories,
  identities,
  invitedUntil,
}: Omit<PersonView, "isPresent">): string {
  const roles = [
    ...(role === null ? [] : [role]),
    ...Object.entries(repositories).map(([root, own]) => `${own} in ${shownName(root)}`),
  ];
  const browsers = identities === 1 ? "1 browser" : `${identities} browsers`;
  const invited = invitedUntil === null ? "" : `, invited until ${new Date(invitedUntil).toISOString()}`;
  return `${shownLine(name)}  ${roles.join(", ")}  (${browsers}${invited})`;
}

interface InviteOptions extends PeopleOptions {
  readonly name: string;
  readonly role: PersonRole;
  readonly here?: boolean;
  readonly hours?: number;
}

/** @throws NotReachable before anything is kept, where no host listens for others */
export async function invite(options: InviteOptions): Promise<ExitCode> {
  const origin = await peopleOrigin(stateFolderOf(options));
  const repository = options.here ? await jjRootOf(options) : null;
  const { name, role, hours = invitationHours.standard } = options;
  return withPeople(options, (people) => {
    const { token, until } = people.invite({ name, role, repository, hours });
    const entry = people.begun({ name: hostOwner(), did: `invited a person ${name}`, repository, run: null });
    people.ended(entry, "done");
    const address = invitationAddress(origin, token);
    show(options, { kind: "invitation", name, role, repository, address, until }, [
      `For ${name}, valid once, for one browser, for ${hours} ${hours === 1 ? "hour" : "hours"}:`,
      "",
      `  ${address}`,
    ]);
    return exitCode.done;
  });
}

async function peopleOrigin(stateFolder: string): Promise<string> {
  const origin = await servedAt(stateFolder, "people");
  if (origin !== null) return origin;
  throw new NotReachable();
}

export const remove = (options: PeopleOptions & { readonly name: string }): Promise<ExitCode> =>
  withPeople(options, (people) => {
    const { name } = options;
    people.remove(name);
    people.ended(
      people.begun({ name: hostOwner(), did: `removed a person ${name}`, repository: null, run: null }),
      "done",
    );
    show(options, { kind: "removed", name }, `${name} no longer has access.`);
    return exitCode.done;
  });

export const log = (options: PeopleOptions & { readonly limit?: number }): Promise<ExitCode> =>
  withPeople(options, (people) => {
    for (const entry of people.log(options.limit ?? 50)) {
      const { at, name, did, repository, outcome } = entry;
      const where = repository === null ? "" : `  ${shownName(repository)}`;
      const end = outcome === "done" ? "" : `  (${outcome})`;
      show(
        options,
        { kind: "act", ...entry },
        `${new Date(at).toISOString()}  ${shownLine(name)}  ${shownLine(did)}${where}${end}`,
      );
    }
    return exitCode.done;
  });
