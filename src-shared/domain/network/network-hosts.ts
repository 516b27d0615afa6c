/** A host in its one spelling: a name in lower case, or a canonical IP address. */
export interface NetworkHost {
  readonly kind: "name" | "address";
  readonly text: string;
}

/** One entry of `sandbox.hosts`. */
export interface AllowedHost {
  /** `subdomains` is `*.example.com`: every name below `example.com`, never itself. */
  readonly kind: "name" | "subdomains" | "address";
  readonly text: string;
  readonly ports: readonly number[];
}

/** What an entry without a port opens: TLS and plain HTTP. */
const defaultPorts: readonly number[] = [443, 80];

/**
 * A host name or address in its one spelling, or null when it is neither. Only letters, digits and hyphens count:
 * no null byte, no final dot, no user, no underscore, nothing outside ASCII, no other spelling of an address.
 *
 * @param text as in a request or in TLS, an IPv6 address in brackets
 */
export function networkHost(text: string): NetworkHost | null {
  if (text.length > 253) return null;
  const inBrackets = /^\[([0-9a-f:.]+)\]$/iu.exec(text)?.[1];
  const address = canonicalAddress(inBrackets ?? text);
  if (address !== null) {
    // An IPv6 address is in brackets, an IPv4 address never: otherwise its port would be ambiguous.
    const isSpelledRight = address.includes(":") === (inBrackets !== undefined);
    return isSpelledRight ? { kind: "address", text: address } : null;
  }
  if (inBrackets !== undefined || looksLikeAddress(text)) return null;
  if (!text.split(".").every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/iu.test(label))) return null;
  return { kind: "name", text: text.toLowerCase() };
}

/**
 * `host` or `host:port`, or null when it is neither.
 *
 * @param otherwise the port of a text that names none; null: it has to
 */
export function networkAuthority(
  text: string,
  otherwise: number | null,
): { readonly host: NetworkHost; readonly port: number } | null {
  const parts = /^(\[[^\]]*\]|[^:]*)(?::([0-9]{1,5}))?$/u.exec(text);
  const host = networkHost(parts?.[1] ?? "");
  const port = parts?.[2] === undefined ? otherwise : portOf(parts[2]);
  return host === null || port === null ? null : { host, port };
}

/**
 * Reads one entry of `sandbox.hosts`: `example.com`, `*.example.com`, `192.0.2.7`, `[2001:db8::7]`, each with or without
 * a port.
 *
 * @returns the entry, or what is wrong with it in words that follow its value
 */
export function parseAllowedHost(
  text: string,
): { readonly allowed: AllowedHost } | { readonly mistake: string } {
  const isPattern = text.startsWith("*.");
  const named = isPattern ? text.slice(2) : text;
  const port = /:([0-9]+)$/u.exec(named.replace(/^\[[^\]]*\]/u, ""))?.[1];
  const authority = networkAuthority(named, 0);
  if (authority === null) return { mistake: mistakeOf(named, port) };
  const { host } = authority;
  const ports = port === undefined ? defaultPorts : [authority.port];
  if (host.kind === "address") {
    if (isPattern) return { mistake: "must not put a star before an address" };
    const never = neverAllowed(host.text);
    return never === null ? { allowed: { kind: "address", text: host.text, ports } } : { mistake: never };
  }
  if (!host.text.includes("."))
    return {
      mistake: isPattern
        ? 'must name a domain below a top-level one, as in "*.example.com"'
        : 'must be a full name, as in "npm.example.com"',
    };
  return { allowed: { kind: isPattern ? "subdomains" : "name", text: host.text, ports } };
}

/** Whether the list opens a host at a port. */
export const isHostAllowed = (list: readonly AllowedHost[], host: NetworkHost, port: number): boolean =>
  list.some((entry) => entry.ports.includes(port) && matches(entry, host));

/** Whether the list names a host at any port. */
export const isHostListed = (list: readonly AllowedHost[], host: NetworkHost): boolean =>
  list.some((entry) => matches(entry, host));

function matches(entry: AllowedHost, host: NetworkHost): boolean {
  switch (entry.kind) {
    case "name":
    case "address":
      return host.kind === entry.kind && host.text === entry.text;
    case "subdomains":
      return host.kind === "name" && host.text.endsWith(`.${entry.text}`);
  }
}

function portOf(text: string): number | null {
  const port = Number(text);
  return /^[1-9]/u.test(text) && port <= 65_535 ? port : null;
}

function mistakeOf(text: string, port: string | undefined): string {
  if (text.includes("://") || text.includes("/"))
    return 'must be a host without scheme and path, as in "example.com"';
  if (text.includes("@")) return "must be a host without a user";
  if (text.includes("*")) return 'must have a single star, at the start, as in "*.example.com"';
  if (port !== undefined && portOf(port) === null) return "must have a port between 1 and 65535";
  if (/[^\x20-\x7e]/u.test(text)) return "must be written in ASCII, an international name as xn--…";
  if (text.endsWith(".")) return "must not end with a dot";
  if (looksLikeAddress(text)) return 'must spell an address as "192.0.2.7" or "[2001:db8::7]"';
  return 'must be a host, as in "npm.example.com", "*.example.com" or "example.com:8443"';
}

/** Addresses that no list opens, in words that follow the value; null for all others. */
function neverAllowed(address: string): string | null {
  const ofOneHost = "must be the address of one host";
  const loopback = "must not be this machine’s loopback, which a sandbox cannot reach";
  const first = ipv4Bytes(address)?.[0];
  if (first !== undefined) return first === 127 ? loopback : first === 0 || first >= 224 ? ofOneHost : null;
  const groups = ipv6Groups(address) ?? [];
  const beginsWithZeros = (count: number): boolean => groups.slice(0, count).every((group) => group === 0);
  if (beginsWithZeros(8) || (groups[0] ?? 0) >= 0xff00) return ofOneHost;
  if (beginsWithZeros(7) && groups[7] === 1) return loopback;
  const holdsIpv4 = beginsWithZeros(5) && (groups[5] === 0xffff || groups[5] === 0);
  return holdsIpv4 ? "must be written as the IPv4 address that it contains" : null;
}

/**
 * An IP address in its one canonical spelling, or null for everything else. What other programs would also read as
 * an address (octal, hexadecimal, decimal, shortened, with a zone) is none here: see `looksLikeAddress`.
 *
 * @param text without brackets
 * @returns dotted decimal, or eight groups of lower-case hexadecimal without leading zeros
 */
export function canonicalAddress(text: string): string | null {
  if (text.includes(":"))
    return (
      ipv6Groups(text)
        ?.map((group) => group.toString(16))
        .join(":") ?? null
    );
  return ipv4Bytes(text) === null ? null : text;
}

/**
 * Whether some resolver would take a name for a number: its last label is one, as in `127.1`, `0x7f.0.0.1` or
 * `2130706433`. No top-level domain is a number.
 */
export const looksLikeAddress = (name: string): boolean =>
  /(^|\.)([0-9]+|0x[0-9a-f]*)\.?$/iu.test(name) || name.includes(":");

/** The four numbers of an IPv4 address in dotted decimal, or null. */
function ipv4Bytes(text: string): readonly number[] | null {
  const parts = text.split(".");
  const isDecimal = parts.length === 4 && parts.every((part) => /^(?:0|[1-9][0-9]{0,2})$/u.test(part));
  const bytes = parts.map(Number);
  return isDecimal && bytes.every((byte) => byte <= 255) ? bytes : null;
}

/** The eight groups of an IPv6 address, its end in dotted decimal included, or null. */
function ipv6Groups(text: string): readonly number[] | null {
  const halves = text.split("::");
  if (halves.length > 2) return null;
  const [head, tail] = halves.map((half, index) => groupsOf(half, index === halves.length - 1));
  if (!head) return null;
  if (tail === undefined) return halves.length === 1 && head.length === 8 ? head : null;
  if (tail === null || head.length + tail.length > 7) return null;
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
}

function groupsOf(half: string, isLast: boolean): readonly number[] | null {
  if (half === "") return [];
  const parts = half.split(":");
  const end = parts.at(-1) ?? "";
  const embedded = isLast && end.includes(".") ? ipv4Bytes(end) : undefined;
  if (embedded === null) return null;
  const [a = 0, b = 0, c = 0, d = 0] = embedded ?? [];
  const hexadecimal = embedded ? parts.slice(0, -1) : parts;
  if (!hexadecimal.every((part) => /^[0-9a-f]{1,4}$/iu.test(part))) return null;
  const groups = hexadecimal.map((part) => Number.parseInt(part, 16));
  return embedded ? [...groups, a * 256 + b, c * 256 + d] : groups;
}
