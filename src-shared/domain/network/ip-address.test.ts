import fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalAddress, looksLikeAddress } from "./ip-address.ts";

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
