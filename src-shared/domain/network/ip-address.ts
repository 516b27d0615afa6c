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
export function ipv4Bytes(text: string): readonly number[] | null {
  const parts = text.split(".");
  const isDecimal = parts.length === 4 && parts.every((part) => /^(?:0|[1-9][0-9]{0,2})$/u.test(part));
  const bytes = parts.map(Number);
  return isDecimal && bytes.every((byte) => byte <= 255) ? bytes : null;
}

/** The eight groups of an IPv6 address, its end in dotted decimal included, or null. */
export function ipv6Groups(text: string): readonly number[] | null {
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
