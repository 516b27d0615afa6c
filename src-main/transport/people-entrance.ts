/**
 * Lets in people who were invited, or whom a trusted proxy names. A page keeps its identity for as long as its person is
 * known; every socket looks it up again.
 */

import type { IncomingMessage } from "node:http";
import { proxySession } from "#shared/contract/loopback.ts";
import { shellQuote } from "#shared/domain/text/shell-quote.ts";
import type { People, Person } from "../people/people.ts";
import { type Entrance, shownSession } from "./entrance.ts";
import { RequestRefusal } from "./request-refusal.ts";
import { sameSecret } from "./sessions.ts";

/** A proxy in front of the host that says who its users are. */
export interface TrustedProxy {
  /** In lower case, of the header with a person's name. */
  readonly header: string;
  /** Its own address; null: any, which then must show the secret. */
  readonly address: string | null;
  /** Shown in `secretHeader`; null: the address is enough. */
  readonly secret: string | null;
}

/** By which a proxy shows its secret. */
const secretHeader = "x-hox-proxy-secret";

/** The names by which browsers call this host. */
export interface HostNames {
  /** As in a request's `Host`. */
  includes(host: string): boolean;
  /** The addresses that pages come from: `https://hox.example.com`. */
  readonly describe: string;
}

interface PeopleEntranceOptions {
  readonly people: People;
  readonly names: HostNames;
  readonly proxy: TrustedProxy | null;
  /** Nothing is taken but from the proxy: the host itself does not encrypt. */
  readonly onlyProxy: boolean;
}

export function createPeopleEntrance({ people, names, proxy, onlyProxy }: PeopleEntranceOptions): Entrance {
  const isProxy = (request: IncomingMessage): boolean => proxy !== null && isFrom(proxy, request);

  const named = (request: IncomingMessage): string | null => {
    const name = proxy === null ? undefined : request.headers[proxy.header];
    if (typeof name !== "string" || name === "" || !isProxy(request)) return null;
    return Buffer.from(name, "latin1").toString("utf8");
  };
  /** Who a proxy says it is comes before what the browser has. */
  const personOf = (request: IncomingMessage, session: string): Person | null => {
    const name = named(request);
    return name === null ? people.identified(session) : people.named(name);
  };
  const checkHost = (request: IncomingMessage): string => {
    if (onlyProxy && !isProxy(request))
      throw new RequestRefusal(403, "Use the address of the proxy: this host takes no other requests.");
    const { host } = request.headers;
    if (host === undefined || !names.includes(host)) throw new RequestRefusal(403, `Use ${names.describe}.`);
    return host;
  };

  return {
    isSecure: true,
    checkHost,
    checkOrigin({ headers }, name) {
      if (headers.origin !== `https://${name}`)
        throw new RequestRefusal(403, "The request is from another website.");
    },
    enter(request) {
      const session = shownSession(request);
      const person = personOf(request, session);
      if (person === null) throw new RequestRefusal(401, "No person who is known here.");
      const { name } = person;
      const roles = rolesOf(person);
      return {
        client: `person ${name}`,
        isOwnMachine: false,
        person: name,
        isStillIn: () => {
          const now = personOf(request, session);
          return now?.name === name && rolesOf(now) === roles;
        },
      };
    },
    exchange(asked, request) {
      const name = named(request);
      if (name !== null)
        return people.named(name) === null ? stranger(name, people) : { session: proxySession };
      if ("token" in asked) {
        const accepted = people.accept(asked.token);
        return accepted === null ? usedUp(people) : { session: accepted.identity };
      }
      if ("session" in asked && people.identified(asked.session) !== null) return { session: asked.session };
      return uninvited(people);
    },
  };
}

const rolesOf = ({ role, repositories }: Person): string => JSON.stringify([role, repositories]);

function isFrom({ address, secret }: TrustedProxy, { socket, headers }: IncomingMessage): boolean {
  if (address !== null && withoutPrefix(socket.remoteAddress ?? "") !== address) return false;
  if (secret === null) return address !== null;
  const shown = headers[secretHeader];
  return typeof shown === "string" && sameSecret(shown, secret);
}

/** An IPv4 address as IPv6 has it, as it is written. */
const withoutPrefix = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/u, "");

const askOwners = (people: People): string => `Ask ${people.owners().slice(0, 3).join(" or ")}`;

const usedUp = (people: People) => ({
  message: "This invitation was already used, is too old, or was withdrawn.",
  remedy: `${askOwners(people)} for another one: hox people invite <name> --role <role>`,
});

const uninvited = (people: People) => ({
  message: "This browser has no access to this host.",
  remedy: `${askOwners(people)} for an invitation: hox people invite <name> --role <role>`,
});

const stranger = (name: string, people: People) => ({
  message: `${name} has no access to this host.`,
  remedy: `${askOwners(people)}: hox people invite ${shellQuote(name)} --role watch`,
});
