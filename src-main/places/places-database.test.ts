import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { leaseTimes } from "#shared/domain/places/lease.ts";
import { openPlaces } from "./places-database.ts";

const owner = { repository: "/repo", run: "r1", worker: "agent-1" };

async function open() {
  const folder = await mkdtemp(join(tmpdir(), "hox-places-"));
  let at = 1_000;
  const database = openPlaces(join(folder, "workers.sqlite"), () => at);
  onTestFinished(async () => {
    database.close();
    await rm(folder, { recursive: true });
  });
  return {
    ...database,
    wait(ms: number) {
      at += ms;
    },
  };
}

test("a tree counts only while its sender holds the place", async () => {
  const { places, wait } = await open();
  const first = places.grant(owner, "one");
  expect(places.acceptTree(first.id, { machine: "one", epoch: first.epoch }, "t1")).toBeNull();
  expect(places.acceptTree(first.id, { machine: "two", epoch: first.epoch }, "t2")).toContain(
    "another machine",
  );
  const second = places.grant(owner, "two");
  expect(second).toMatchObject({ epoch: first.epoch + 1, tree: null });
  expect(places.acceptTree(first.id, { machine: "one", epoch: first.epoch }, "t3")).toContain(
    "granted again",
  );
  wait(leaseTimes.goneMs);
  expect(places.acceptTree(first.id, { machine: "two", epoch: second.epoch }, "t4")).toContain("has ended");
  expect(places.of(owner)?.tree).toBeNull();
});

test("an answered heartbeat lengthens a lease that has not ended, and no other one", async () => {
  const { places, wait } = await open();
  const { id, epoch } = places.grant(owner, "one");
  wait(leaseTimes.goneMs - 1);
  places.renew("one", [id]);
  places.renew("two", [id]);
  wait(leaseTimes.goneMs - 1);
  expect(places.held()).toMatchObject([{ id }]);
  expect(places.acceptTree(id, { machine: "one", epoch }, "t1")).toBeNull();
  wait(1);
  places.renew("one", [id]);
  expect(places.held()).toEqual([]);
  expect(places.acceptTree(id, { machine: "one", epoch }, "t2")).toContain("has ended");
});

test("a place that no other machine has had for a month is forgotten", async () => {
  const { places, wait } = await open();
  const held = { ...owner, worker: "agent-2" };
  const day = 24 * 60 * 60_000;
  places.grant(held, "one");
  places.grant(owner, "one");
  places.grant(owner, null);
  wait(29 * day);
  places.grant(held, "one");
  expect(places.of(owner)).not.toBeNull();
  wait(day);
  places.grant({ ...owner, worker: "agent-3" }, "one");
  expect(places.of(owner)).toBeNull();
  expect(places.of(held)).toMatchObject({ epoch: 2, machine: "one" });
});

test("an invitation enrols one machine, for an hour, and a removed machine has no key", async () => {
  const { machines, wait } = await open();
  expect(machines.areExpected()).toBe(false);
  const invitation = machines.invite();
  expect(machines.areExpected()).toBe(true);
  expect(machines.enrol("another", "box")).toBeNull();
  const enrolled = machines.enrol(invitation, "box");
  expect(machines.enrol(invitation, "box")).toBeNull();
  const { id, key } = enrolled ?? { id: "", key: "" };
  expect(machines.authenticate(id, key)?.name).toBe("box");
  expect(machines.authenticate(id, `${key}x`)).toBeNull();
  expect(machines.enrol(machines.invite(), "box")?.id).not.toBe(id);
  expect(new Set(machines.all().map(({ name }) => name)).size).toBe(2);
  const late = machines.invite();
  wait(60 * 60_000);
  expect(machines.enrol(late, "late")).toBeNull();
  machines.remove(id);
  expect(machines.authenticate(id, key)).toBeNull();
});
