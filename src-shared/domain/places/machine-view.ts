/** Workers, as the Workers page and `hox workers` show them: both read the same views. */
import { formatDollars } from "../spending/prices.ts";
import type { Contact } from "./lease.ts";
import { fetchCommand, workerProgramFile } from "./worker-program.ts";

export interface MachineView {
  readonly id: string;
  readonly name: string;
  readonly state: "active" | "draining";
  readonly contact: Contact;
  /** When it answered last, as a time of day; null: it has never connected. */
  readonly heardAt: number | null;
  /** As it described itself when it connected last; null: it has never connected. */
  readonly about: {
    readonly labels: readonly string[];
    readonly capacity: number;
    readonly protocol: number;
    /** What its machine costs in an hour, where its owner has said it. */
    readonly hourlyMicroDollars?: number | undefined;
    /** Agents of other makes that are installed there. */
    readonly agents?: readonly InstalledAgent[] | undefined;
    readonly isolation: { readonly kind: string; readonly summary: string };
  } | null;
  /** Why it gets no work whatever its state, in a few words; null: nothing is wrong with it. */
  readonly problem: "no sandbox" | "other version" | null;
  /** Version of the worker that the host has. */
  readonly hostProtocol: number;
  /** How many agents of other hosts work there. */
  readonly others: readonly { readonly host: string; readonly held: number }[];
  /** How many agents and fresh checkouts of this host are there. */
  readonly held: number;
  /** Those of them in repositories that whoever looks may see, the one that has been there longest first. */
  readonly places: readonly MachinePlace[];
}

interface InstalledAgent {
  readonly name: string;
  /** Of its package; null: it is in none. */
  readonly version: string | null;
}

export interface MachinePlace {
  /** Root of the repository on the host. */
  readonly repository: string;
  readonly run: string;
  readonly worker: string;
  /** Id of a fresh checkout in which its checks or judges run commands; null: its own workspace. */
  readonly checkout: string | null;
  readonly epoch: number;
  readonly grantedAt: number;
}

export interface FleetView {
  readonly machines: readonly MachineView[];
  /** Another Hox on this machine has the connections: agents of this one work on the host. */
  readonly isServedElsewhere: boolean;
  /** The pool that this host shares with others; null: its workers are its own. */
  readonly pool: PoolView | null;
}

interface PoolView {
  /** Of the database's host. */
  readonly name: string;
  /** Why it cannot be used now: what failed, and what to do. Null: it answers. */
  readonly problem: { readonly message: string; readonly remedy: string } | null;
}

/** How one machine can join, once. */
export interface InvitationView {
  readonly invitation: string;
  /** Of the host: with TLS (`wss:`) from everywhere, without (`ws:`) from its own machine or through a tunnel. */
  readonly address: string;
  /** For the other machine. */
  readonly command: string;
  /** For a machine that has only Node, Git and its sandbox: fetches the worker from the host. Null: this Hox has none to give. */
  readonly withoutHox: string | null;
  /** For this machine: reaches the other one by SSH, opens the tunnel and joins. */
  readonly overSsh: string;
  /** As a time of day. */
  readonly expiresAt: number;
}

/** Stands for the name of the other machine in `overSsh`. */
export const machinePlaceholder = "<machine>";

/**
 * The commands with which a machine joins the host that made the invitation.
 * @param direct where the host takes machines with TLS; null: nowhere
 * @param program SHA-256 of the program that the host gives to machines; null: it has none
 */
export function invitationView(
  invitation: string,
  {
    port,
    direct,
    expiresAt,
    program,
  }: {
    readonly port: number;
    readonly direct: string | null;
    readonly expiresAt: number;
    readonly program: string | null;
  },
): InvitationView {
  const local = `ws://127.0.0.1:${port}`;
  const join = (address: string): string => `worker join ${address} --invitation ${invitation}`;
  const address = direct ?? local;
  return {
    ...{ invitation, address, command: `hox ${join(address)}`, expiresAt },
    withoutHox:
      program === null
        ? null
        : `${fetchCommand(address, invitation, program)} && node ${workerProgramFile} ${join(address)}`,
    overSsh: `ssh -t -R ${port}:127.0.0.1:${port} ${machinePlaceholder} hox ${join(local)}`,
  };
}

/** Whether a machine reaches the host from everywhere. */
export const isDirect = ({ address }: Pick<InvitationView, "address">): boolean => address.startsWith("wss:");

/** Whether it is there and gets work, in a few words. */
export function machineStatus({
  state,
  contact,
  heardAt,
  problem,
  about,
  hostProtocol,
}: Pick<MachineView, "state" | "contact" | "heardAt" | "problem" | "about" | "hostProtocol">): string {
  if (heardAt === null) return "never connected";
  if (contact === "connected" && problem === "other version")
    return `draining: other version ${about?.protocol}, host has ${hostProtocol}`;
  if (contact === "connected") return state;
  return contact === "suspect" ? "not answering" : "gone";
}

/** Agents of other makes, a text each. */
export const agentTexts = (agents: readonly InstalledAgent[] = []): readonly string[] =>
  agents.map(({ name, version }) => (version === null ? name : `${name} ${version}`));

/** What machines that are connected cost in an hour, in a few words; "": none of them has a price. */
export function hourlyCost(machines: readonly Pick<MachineView, "about" | "contact">[]): string {
  const prices = machines.flatMap(({ about, contact }) =>
    contact === "connected" ? (about?.hourlyMicroDollars ?? []) : [],
  );
  return prices.length === 0 ? "" : `${formatDollars(prices.reduce((sum, price) => sum + price, 0))} an hour`;
}

/** The labels of all machines, with the number of machines that have each; in alphabetical order. */
export function labelCounts(
  machines: readonly Pick<MachineView, "about">[],
): readonly { readonly label: string; readonly machines: number }[] {
  const counts = new Map<string, number>();
  for (const label of machines.flatMap(({ about }) => about?.labels ?? []))
    counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts]
    .map(([label, count]) => ({ label, machines: count }))
    .toSorted((one, other) => (one.label < other.label ? -1 : 1));
}

/**
 * Whether two views show the same: the time of the last answer changes with every heartbeat, and says nothing new while the
 * machine is connected.
 */
export const isSameFleet = (one: FleetView, other: FleetView): boolean =>
  JSON.stringify(withoutHeartbeats(one)) === JSON.stringify(withoutHeartbeats(other));

const withoutHeartbeats = ({ machines, ...rest }: FleetView): unknown => ({
  ...rest,
  machines: machines.map((one) => (one.contact === "connected" ? { ...one, heardAt: 0 } : one)),
});
