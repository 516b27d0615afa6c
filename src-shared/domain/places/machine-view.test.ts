import { expect, test } from "vitest";
import {
  hourlyCost,
  invitationView,
  isSameFleet,
  labelCounts,
  type MachineView,
  machineStatus,
} from "./machine-view.ts";

const isolation = { kind: "bubblewrap", summary: "bubblewrap" };
const machine = (over: Partial<MachineView> = {}): MachineView => ({
  ...{ id: "0".repeat(16), name: "box", state: "active", contact: "connected", heardAt: 1_000 },
  about: { labels: ["linux-x64", "fast"], capacity: 4, protocol: 1, isolation },
  ...{ problem: null, hostProtocol: 2, held: 0, others: [], places: [] },
  ...over,
});

test("machineStatus puts a lost contact before the wish of the user", () => {
  expect(machineStatus(machine())).toBe("active");
  expect(machineStatus(machine({ state: "draining" }))).toBe("draining");
  expect(machineStatus(machine({ state: "draining", contact: "suspect" }))).toBe("not answering");
  expect(machineStatus(machine({ contact: "gone" }))).toBe("gone");
  const other = machine({ problem: "other version" });
  expect(machineStatus(other)).toBe("draining: other version 1, host has 2");
  expect(machineStatus({ ...other, contact: "gone" })).toBe("gone");
  expect(machineStatus(machine({ contact: "gone", heardAt: null, about: null }))).toBe("never connected");
});

test("labelCounts counts the machines of each label, and none of those that never connected", () => {
  const gpu = machine({ about: { labels: ["linux-x64", "gpu"], capacity: 1, protocol: 1, isolation } });
  expect(labelCounts([machine(), gpu, machine({ about: null })])).toEqual([
    { label: "fast", machines: 1 },
    { label: "gpu", machines: 1 },
    { label: "linux-x64", machines: 2 },
  ]);
});

test("isSameFleet overlooks heartbeats, and sees all else", () => {
  const fleet = (over: Partial<MachineView>) => ({
    machines: [machine(over)],
    isServedElsewhere: false,
    pool: null,
  });
  expect(isSameFleet(fleet({}), fleet({ heardAt: 6_000 }))).toBe(true);
  expect(isSameFleet(fleet({}), fleet({ state: "draining" }))).toBe(false);
  expect(isSameFleet(fleet({ contact: "gone" }), fleet({ contact: "gone", heardAt: 6_000 }))).toBe(false);
  expect(isSameFleet(fleet({}), { ...fleet({}), isServedElsewhere: true, pool: null })).toBe(false);
});

test("invitationView joins through the tunnel that the SSH command opens", () => {
  const tunnel = { port: 4646, expiresAt: 0, program: null };
  const { command, overSsh } = invitationView("secret", { ...tunnel, direct: null });
  expect(command).toBe("hox worker join ws://127.0.0.1:4646 --invitation secret");
  expect(overSsh).toBe(`ssh -t -R 4646:127.0.0.1:4646 <machine> ${command}`);
  const direct = invitationView("secret", { ...tunnel, direct: "wss://hox.example.com:8443" });
  expect(direct).toMatchObject({
    command: "hox worker join wss://hox.example.com:8443 --invitation secret",
    overSsh,
  });
});

test("hourlyCost adds up what is known of machines that are connected", () => {
  const priced = (dollars: number | null, contact: MachineView["contact"] = "connected") =>
    machine({
      contact,
      about: {
        ...{ labels: [], capacity: 1, protocol: 1, isolation },
        ...(dollars === null ? {} : { hourlyMicroDollars: dollars * 1e6 }),
      },
    });
  expect(hourlyCost([priced(null)])).toBe("");
  expect(hourlyCost([priced(0.4), priced(null), priced(1.25), priced(9, "gone")])).toBe("$1.65 an hour");
});
