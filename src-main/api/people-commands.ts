import type { HostHandlers } from "#shared/contract/commands.ts";
import { type Look, lookAtNothing, type Present } from "#shared/domain/people/role.ts";
import { NotReachable, type People } from "../people/people.ts";
import type { OpenRepository } from "./open-repository.ts";
import type { Line } from "./viewers.ts";

type Handlers = HostHandlers<
  "presence.look" | "people.list" | "people.invite" | "people.remove" | "people.log",
  OpenRepository,
  { readonly line?: Line }
>;

interface PeopleHost {
  readonly people: People;
  readonly presence: Presence;
  /** Null: nobody could reach the host. */
  invitationAddress(): ((token: string) => string) | null;
}

/** Who shares the host, and what they look at. */
export const peopleCommandsOf = ({ people, presence, invitationAddress }: PeopleHost): Handlers => ({
  "presence.look"(look, { line }) {
    if (line) presence.look(line, look);
  },
  "people.list"() {
    const present = new Set(presence.list().map(({ name }) => name));
    return people.list().map((one) => ({ ...one, isPresent: present.has(one.name) }));
  },
  "people.invite"(invitation) {
    const addressWith = invitationAddress();
    // Before anything is kept: nobody could use the invitation.
    if (addressWith === null) throw new NotReachable();
    const { token, until } = people.invite(invitation);
    return { address: addressWith(token), until };
  },
  "people.remove": ({ name }) => people.remove(name),
  "people.log": ({ limit }) => people.log(limit),
});

export type Presence = ReturnType<typeof createPresence>;

/** Who is connected, and what they look at now. Nothing of it is kept. @param changed somebody came, went, or looks at something else */
export function createPresence(changed: () => void) {
  const lines = new Map<Line, { readonly name: string; readonly look: Look; readonly at: number }>();
  let count = 0;
  return {
    /** A window of this person listens. @returns it has gone */
    join(line: Line, name: string): () => void {
      lines.set(line, { name, look: lookAtNothing, at: count++ });
      changed();
      return () => {
        if (lines.delete(line)) changed();
      };
    },
    look(line: Line, look: Look): void {
      const known = lines.get(line);
      if (!known) return;
      lines.set(line, { ...known, look, at: count++ });
      changed();
    },
    /** By name; each person once, with what their last window to say so looks at. */
    list(): readonly Present[] {
      const newest = new Map<string, Present>();
      for (const { name, look } of [...lines.values()].toSorted((one, other) => one.at - other.at))
        newest.set(name, { name, ...look });
      return [...newest.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
    },
  };
}
