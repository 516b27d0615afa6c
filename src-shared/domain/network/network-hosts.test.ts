import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AllowedHost,
  canonicalAddress,
  isHostAllowed,
  looksLikeAddress,
  networkAuthority,
  networkHost,
  parseAllowedHost,
} from "./network-hosts.ts";

const list = (...entries: readonly string[]): readonly AllowedHost[] =>
  entries.map((entry) => {
    const read = parseAllowedHost(entry);
    if ("mistake" in read) throw new Error(`${entry} ${read.mistake}`);
    return read.allowed;
  });
const opens = (entries: readonly AllowedHost[], text: string, port = 443): boolean => {
  const host = networkHost(text);
  return host !== null && isHostAllowed(entries, host, port);
};

const label = fc.stringMatching(/^[a-z]([a-z0-9-]{0,8}[a-z0-9])?$/u);
const name = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join("."));

describe("sandbox.hosts", () => {
  it("opens exact names, true subdomains and literal addresses, at 443 and 80 unless a port is given", () => {
    const hosts = list(
      "npm.example.net",
      "*.example.com",
      "git.example.org:8443",
      "192.0.2.7",
      "[2001:DB8::7]:22",
    );
    expect(opens(hosts, "NPM.Example.net")).toBe(true);
    expect(opens(hosts, "npm.example.net", 80)).toBe(true);
    expect(opens(hosts, "npm.example.net", 22)).toBe(false);
    expect(opens(hosts, "a.example.com")).toBe(true);
    expect(opens(hosts, "a.b.example.com")).toBe(true);
    expect(opens(hosts, "example.com")).toBe(false);
    expect(opens(hosts, "git.example.org")).toBe(false);
    expect(opens(hosts, "git.example.org", 8443)).toBe(true);
    expect(opens(hosts, "192.0.2.7")).toBe(true);
    expect(opens(hosts, "192.0.2.8")).toBe(false);
    expect(opens(hosts, "[2001:db8:0::0:7]", 22)).toBe(true);
  });

  it.each([
    "example.com.evil.org",
    "evilexample.com",
    "notexample.com",
    "example.com\0.evil.org",
    "evil.org\0.example.com",
    "a.example.com.",
    "example.com.",
    ".example.com",
    "a..example.com",
    "user@a.example.com",
    "evil.org#.example.com",
    "evil.org/.example.com",
    "evil.org?.example.com",
    "evil.org\\.example.com",
    "evil.org%00.example.com",
    "evil.org%2e.example.com",
    "evil.org:443.example.com",
    "a.ex\u0430mple.com",
    "a.exam\u200bple.com",
    "a。example.com",
    "ａ.example.com",
    "a_b.example.com",
    "-a.example.com",
    " a.example.com",
    "a.example.com\t",
    "a.example.com\r\nHost: evil.org",
    "*.example.com",
    `${"a".repeat(64)}.example.com`,
    `${"a.".repeat(130)}example.com`,
    "",
  ])("does not take %j for a listed name", (text) => {
    expect(opens(list("*.example.com", "example.com"), text)).toBe(false);
  });

  it.each([
    ...[
      "127.0.0.1",
      "127.1",
      "2130706433",
      "0x7f000001",
      "0x7f.1",
      "0177.0.0.1",
      "017700000001",
      "127.0.0.1.",
    ],
    ...[
      "[::1]",
      "[::]",
      "[::ffff:127.0.0.1]",
      "[0:0:0:0:0:ffff:7f00:1]",
      "[64:ff9b::7f00:1]",
      "::1",
      "[127.0.0.1]",
    ],
    ...["[fe80::1%25lo]", "[::1", "[::1]x", "1.2.3.4.example.com.0"],
  ])("never opens an address, however it is spelled: %s", (text) => {
    expect(opens(list("*.example.com", "example.com", "192.0.2.7", "[2001:db8::1]"), text)).toBe(false);
  });

  it("opens under a star only what ends with a dot and the name", () => {
    fc.assert(
      fc.property(name, name, label, (domain, other, below) => {
        const hosts = list(`*.${domain}`);
        expect(opens(hosts, `${below}.${domain}`)).toBe(true);
        expect(opens(hosts, `${below}.${domain}`.toUpperCase())).toBe(true);
        expect(opens(hosts, domain)).toBe(false);
        expect(opens(hosts, below + domain)).toBe(false);
        expect(opens(hosts, other)).toBe(other.endsWith(`.${domain}`));
        expect(opens(hosts, `${domain}.${other}`)).toBe(`${domain}.${other}`.endsWith(`.${domain}`));
      }),
    );
  });

  it("never opens a listed name with an invalid character inserted", () => {
    const sign = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
    const foreign = sign.filter((one) => !/[a-z0-9.-]/iu.test(one));
    fc.assert(
      fc.property(name, foreign, fc.nat(40), fc.string({ maxLength: 8 }), (domain, between, at, more) => {
        const hosts = list(domain, `*.${domain}`);
        const text = domain.slice(0, at) + between + domain.slice(at) + more;
        expect(networkHost(text)).toBeNull();
        expect(opens(hosts, `${more}${between}.${domain}`)).toBe(false);
      }),
    );
  });

  it("reads every name that it opens as the URL standard does", () => {
    fc.assert(
      fc.property(fc.oneof(name, fc.ipV4(), fc.webAuthority(), fc.string()), (text) => {
        const host = networkHost(text);
        if (host !== null) expect(new URL(`http://${text}/`).hostname).toBe(host.text);
      }),
    );
  });

  it.each([
    ["", "must be a host"],
    ["*", "must have a single star, at the start"],
    ["*.com", "must name a domain below"],
    ["a.*.com", "must have a single star, at the start"],
    ["*example.com", "must have a single star, at the start"],
    ["localhost", "must be a full name"],
    ["https://example.com", "without scheme"],
    ["example.com/path", "without scheme"],
    ["user@example.com", "without a user"],
    ["example.com.", "must not end with a dot"],
    ["bücher.example", "xn--"],
    ["example.com:0", "a port between"],
    ["example.com:70000", "a port between"],
    ["0x7f.1", "must spell an address"],
    ["127.0.0.1:5000", "which a sandbox cannot reach"],
    ["127.8.8.8", "which a sandbox cannot reach"],
    ["[::1]", "which a sandbox cannot reach"],
    ["[::ffff:192.0.2.7]", "the IPv4 address that it contains"],
    ["0.0.0.0", "of one host"],
    ["[::]", "of one host"],
    ["224.0.0.1", "of one host"],
    ["[ff02::1]", "of one host"],
    ["*.192.0.2.7", "star before an address"],
    ["exa mple.com", "must be a host"],
  ])("says what is wrong with the entry %j", (entry, words) => {
    expect(parseAllowedHost(entry)).toEqual({ mistake: expect.stringContaining(words) });
  });

  it("splits host and port in one way only", () => {
    expect(networkAuthority("Example.com:443", null)).toEqual({
      host: { kind: "name", text: "example.com" },
      port: 443,
    });
    expect(networkAuthority("example.com", 80)?.port).toBe(80);
    for (const text of [
      "example.com",
      "example.com:",
      "example.com:0443",
      "example.com:+443",
      "a:1:443",
      "a:65536",
    ])
      expect(networkAuthority(text, null), text).toBeNull();
  });
});

it.each([
  ["192.0.2.7", "192.0.2.7"],
  ["2001:DB8::7", "2001:db8:0:0:0:0:0:7"],
  ["::", "0:0:0:0:0:0:0:0"],
  ["::ffff:127.0.0.1", "0:0:0:0:0:ffff:7f00:1"],
  ["1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"],
])("reads %s", (text, canonical) => expect(canonicalAddress(text)).toBe(canonical));

it.each([
  ..."127.1 2130706433 0x7f.0.0.1 0177.0.0.1 127.0.0.01 256.0.0.1 127.0.0.1. 1.2.3.4.5 .1.2.3".split(" "),
  ..."fe80::1%lo 1::2::3 :1 1: 1:2:3:4:5:6:7 1:2:3:4:5:6:7:8:9 ::12345 1.2.3.4:: ::1.2.3 1:2:3:4:5:6:7:8::".split(
    " ",
  ),
  "127.0.0.1\0",
  "127.0.0.١",
])("rejects %j as an address", (text) => expect(canonicalAddress(text)).toBeNull());

it("has one spelling for every address, however it was written", () => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      const canonical = canonicalAddress(text);
      expect(canonical).toMatch(/^[0-9a-f]{1,4}(:[0-9a-f]{1,4}){7}$/u);
      expect(canonicalAddress(canonical ?? "")).toBe(canonical);
      // The URL standard's own reading of it.
      expect(new URL(`http://[${canonical}]`).hostname).toBe(new URL(`http://[${text}]`).hostname);
    }),
  );
  fc.assert(
    fc.property(fc.ipV4(), (text) => {
      expect(canonicalAddress(text)).toBe(text);
    }),
  );
});

it("recognises a number in every spelling that the URL standard turns into an address", () => {
  const part = fc.oneof(
    fc.nat(0xffff_ffff).map(String),
    fc.nat(0xffff_ffff).map((value) => `0x${value.toString(16)}`),
    fc.nat(0xff).map((value) => `0${value.toString(8)}`),
    fc.constantFrom("a", "0x", "1a", "xn--a"),
  );
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), fc.constantFrom("", "."), (parts, end) => {
      const name = parts.join(".") + end;
      const read = URL.canParse(`http://${name}/`) ? new URL(`http://${name}/`).hostname : "";
      if (/^[0-9.]+$/u.test(read)) expect(looksLikeAddress(name), name).toBe(true);
    }),
  );
});
