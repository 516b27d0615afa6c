import fc from "fast-check";
import { expect, it } from "vitest";
import { isPublicAddress } from "./route.ts";

it.each([
  ...["0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254"],
  ...[
    "169.254.169.254",
    "169.254.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "192.0.0.192",
    "198.18.0.1",
  ],
  ...["224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "168.63.129.16", "100.100.100.200"],
  ...[
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::a00:1",
  ],
  ...["fe80::1", "febf::1", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1", "100::1", "5f00::1"],
  ...["2001::1", "2001:db8::1", "2002:7f00:1::1", "2002:a00:1::1", "2001:10::1", "3fff::1"],
])("is not a public address: %s", (address) =>
  expect(isPublicAddress(address, address.includes(":") ? 6 : 4, [])).toBe(false),
);

it.each([
  "1.1.1.1",
  "93.184.216.34",
  "172.32.0.1",
  "100.128.0.1",
  "192.169.0.1",
  "2606:4700::1111",
  "2a00:1450::1",
])("is public: %s", (address) =>
  expect(isPublicAddress(address, address.includes(":") ? 6 : 4, [])).toBe(true),
);

it("is not public if this machine has the address, in any spelling", () => {
  expect(isPublicAddress("93.184.216.34", 4, ["93.184.216.34"])).toBe(false);
  expect(isPublicAddress("2606:4700:0::1111", 6, ["2606:4700::1111"])).toBe(false);
});

it("never accepts an IPv4 address inside an IPv6 one", () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.constantFrom("::ffff:", "::", "64:ff9b::", "::ffff:0:"), (address, prefix) => {
      expect(isPublicAddress(prefix + address, 6, [])).toBe(false);
    }),
  );
});

it("rejects text that is not an address", () => {
  for (const text of ["", "127.1", "0x7f000001", "fe80::1%lo", "localhost"])
    for (const family of [4, 6] as const) expect(isPublicAddress(text, family, [])).toBe(false);
});
