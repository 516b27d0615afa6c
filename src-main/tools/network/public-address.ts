import { BlockList } from "node:net";
import { networkInterfaces } from "node:os";
import { canonicalAddress } from "#shared/domain/network/ip-address.ts";

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
