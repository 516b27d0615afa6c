import type { HostHandlers } from "#shared/contract/commands.ts";
import { NotReachable } from "../people/people.ts";
import type { HostState } from "./host-state.ts";
import type { OpenRepository } from "./open-repository.ts";
import type { Line } from "./viewers.ts";

type Handlers = HostHandlers<
  "presence.look" | "people.list" | "people.invite" | "people.remove" | "people.log",
  OpenRepository,
  { readonly line?: Line }
>;

/** Who shares the host, and what they look at. */
export const peopleCommandsOf = ({ people, presence, invitationAddress }: HostState): Handlers => ({
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
