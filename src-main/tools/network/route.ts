import { lookup } from "node:dns/promises";
import { BlockList, connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import {
  type AllowedHost,
  canonicalAddress,
  isHostAllowed,
  isHostListed,
  type NetworkHost,
} from "#shared/domain/network/network-hosts.ts";
import { HostUnreachable, NetworkRefusal, settingOfHosts } from "./network-refusal.ts";
import { connectThrough, type UpstreamProxy } from "./upstream-proxy.ts";

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

export interface RouteOptions {
  readonly allowed: readonly AllowedHost[];
  readonly upstream: UpstreamProxy | null;
  readonly connectTimeoutMs: number;
  /** Default: the system's resolver. */
  readonly resolveName?: (name: string) => Promise<readonly ResolvedAddress[]>;
  /** Name of the setting with the list of hosts, for a refusal; null: nobody can change it. Default: `sandbox.hosts`. */
  readonly setting?: string | null;
  /** Opens a connection to an address that was checked; default: the network. */
  readonly dial?: (address: string, port: number) => Socket;
}

/** A target that a client named, already in its one spelling. */
export interface Target {
  readonly host: NetworkHost;
  readonly port: number;
}

export const targetText = ({ host, port }: Target): string =>
  `${host.text.includes(":") ? `[${host.text}]` : host.text}:${port}`;

/** Throws a `NetworkRefusal` unless the list opens the target. Nothing is looked up before: a name would get out. */
export function checkListed(
  { allowed, setting }: Pick<RouteOptions, "allowed" | "setting">,
  target: Target,
): void {
  if (isHostAllowed(allowed, target.host, target.port)) return;
  const text = targetText(target);
  if (isHostListed(allowed, target.host))
    throw new NetworkRefusal(
      "port-not-listed",
      text,
      `Port ${target.port} of ${target.host.text} is not allowed.${canAdd(`"${text}"`, setting)}`,
    );
  const entry = target.host.text.includes(":") ? `[${target.host.text}]` : target.host.text;
  throw new NetworkRefusal(
    "not-listed",
    text,
    `${target.host.text} is not an allowed host.${canAdd(`"${entry}"`, setting)}`,
  );
}

/** What the user can do about a host that is not listed. */
export const canAdd = (what: string, setting: RouteOptions["setting"] = settingOfHosts): string =>
  setting === null ? "" : ` The user can add ${what} to ${setting}.`;

/** A connection to a listed target, to the very address that was checked. */
export async function connectTo(
  target: Target,
  options: RouteOptions,
  onSocket: (socket: Socket) => void,
): Promise<Socket> {
  const { host, port } = target;
  const { upstream, connectTimeoutMs } = options;
  const hasProxy = upstream !== null && !upstream.isBypassed(host.text, port) && leadsOutside(host);
  const addresses = await addressesOf(target, options).catch((error: unknown) => {
    // Names of the internet may be known to the proxy of the machine alone.
    if (hasProxy && error instanceof HostUnreachable) return [];
    throw error;
  });
  if (hasProxy) return connectThrough(upstream, targetText(target), connectTimeoutMs, onSocket);
  if (addresses.length === 0) throw new HostUnreachable(`${host.text} has no address. Check its spelling.`);
  const failures: string[] = [];
  for (const { address } of addresses.slice(0, 4)) {
    try {
      return await dialed((options.dial ?? openConnection)(address, port), connectTimeoutMs, onSocket);
    } catch (error) {
      failures.push(`${address}: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`);
    }
  }
  throw new HostUnreachable(`${targetText(target)} was not reached (${failures.join(", ")}).`);
}

/** The addresses that a name leads to and that are public or listed themselves, as for a mirror inside a company. */
async function addressesOf(target: Target, options: RouteOptions): Promise<readonly ResolvedAddress[]> {
  const { host, port } = target;
  if (host.kind === "address") return [{ address: host.text, family: host.text.includes(":") ? 6 : 4 }];
  const isListed = (address: string): boolean =>
    isHostAllowed(options.allowed, { kind: "address", text: canonicalAddress(address) ?? "" }, port);
  const found = await (options.resolveName ?? resolveBySystem)(host.text);
  const open = found.filter(({ address, family }) => isPublicAddress(address, family) || isListed(address));
  if (found.length > 0 && open.length === 0)
    throw new NetworkRefusal(
      "not-public",
      targetText(target),
      `${host.text} leads to an address of this machine or of a network around it, which no name opens.` +
        canAdd("the address as well as the name", options.setting),
    );
  return open;
}

const subnets = (family: "ipv4" | "ipv6", ...ranges: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = "", prefix] = range.split("/");
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
};

/** IANA's registry of special addresses: this network, private, CGNAT, loopback, link-local and metadata, tests … */
const specialIpv4 = subnets(
  "ipv4",
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"],
  ...[
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.31.196.0/24",
    "192.52.193.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
  ],
  ...["192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"],
);
/** Only this is the public internet; v4-mapped, NAT64, unique local, link-local and multicast are outside. */
const globalIpv6 = subnets("ipv6", "2000::/3");
/** Inside it, what carries other addresses (Teredo, 6to4) or leads nowhere. */
const specialIpv6 = subnets(
  "ipv6",
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "2620:4f:8000::/48",
  "3fff::/20",
);
/** The clouds' metadata and name services that answer at addresses outside of the ranges above. */
const cloudServices = subnets("ipv4", "168.63.129.16/32");

/** Whether an address leads to the public internet, and neither to this machine nor to a network around it. */
export function isPublicAddress(
  address: string,
  family: 4 | 6,
  own: readonly string[] = ownAddresses(),
): boolean {
  const canonical = canonicalAddress(address);
  if (canonical === null || own.some((one) => canonicalAddress(one) === canonical)) return false;
  if (family === 4) return !specialIpv4.check(address) && !cloudServices.check(address);
  return globalIpv6.check(address, "ipv6") && !specialIpv6.check(address, "ipv6");
}

/** A service that listens everywhere on this machine answers at its public address too. */
function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
}

/** The machine's proxy is for the internet; an address in its own network is reached directly. */
const leadsOutside = (host: NetworkHost): boolean =>
  host.kind === "name" || isPublicAddress(host.text, host.text.includes(":") ? 6 : 4);

async function resolveBySystem(name: string): Promise<readonly ResolvedAddress[]> {
  try {
    const found = await lookup(name, { all: true });
    return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    throw new HostUnreachable(
      `${name} was not found (${why}). Check its spelling and the network of this machine.`,
    );
  }
}

const openConnection = (address: string, port: number): Socket => connect({ host: address, port });

function dialed(socket: Socket, timeoutMs: number, onSocket: (socket: Socket) => void): Promise<Socket> {
  onSocket(socket);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(new Error("no answer")), timeoutMs);
    socket.once("connect", () => {
      clearTimeout(timer);
      socket.off("error", reject);
      resolve(socket);
    });
    socket.once("error", reject);
    socket.once("close", () => {
      clearTimeout(timer);
      reject(new Error("closed"));
    });
  });
}
