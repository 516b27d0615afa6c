import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  chooseMachine,
  claimRefusal,
  contactOf,
  freezesAt,
  type Grant,
  grantNext,
  leaseTimes,
  type Offer,
  renewed,
} from "./lease.ts";

const machine = fc.constantFrom("a", "b", "c");

describe("grantNext", () => {
  it("grows the epoch by one with every grant, and only the last holder's claim counts", () => {
    fc.assert(
      fc.property(fc.array(fc.option(machine, { nil: null }), { minLength: 1 }), (holders) => {
        let grant: Grant | null = null;
        const claims = holders.map((holder, at) => {
          grant = grantNext(grant, holder, at);
          expect(grant.epoch).toBe(at + 1);
          return { machine: holder ?? "a", epoch: grant.epoch };
        });
        const counting = claims.filter((claim) => claimRefusal(grant, claim, holders.length) === null);
        expect(counting.length).toBe(holders.at(-1) === null ? 0 : 1);
        if (holders.at(-1) !== null) expect(counting[0]).toEqual(claims.at(-1));
      }),
    );
  });

  it("refuses a claim of an epoch that was never granted", () => {
    const grant = grantNext(null, "a", 0);
    expect(claimRefusal(grant, { machine: "a", epoch: 2 }, 1)).toContain("never granted");
    expect(claimRefusal(null, { machine: "a", epoch: 1 }, 1)).toContain("never granted");
    expect(claimRefusal(grant, { machine: "b", epoch: 1 }, 1)).toContain("another machine");
    expect(claimRefusal(grant, { machine: "a", epoch: 1 }, leaseTimes.goneMs)).toContain("has ended");
  });
});

describe("freezesAt", () => {
  /** How long a message takes; null: it is lost. */
  const trip = fc.option(fc.integer({ min: 0, max: 60_000 }), { nil: null, freq: 4 });

  it("is never later than the host's end of the lease, whatever is late or lost", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ there: trip, back: trip }), { maxLength: 40 }), (trips) => {
        let grant = grantNext(null, "a", 0);
        // A machine knows that its place was granted when it gets it, after the host has counted from then.
        let frozenAt = freezesAt(0);
        /** The newest answer that the host has heard: it is confirmed with the next heartbeat. */
        let heard: { readonly sentAt: number; readonly at: number } | null = null;
        for (const [number, { there, back }] of trips.entries()) {
          const askedAt = number * leaseTimes.heartbeatMs;
          if (there === null) continue;
          const sentAt = askedAt + there;
          if (heard !== null && heard.at <= askedAt) frozenAt = Math.max(frozenAt, freezesAt(heard.sentAt));
          expect(frozenAt).toBeLessThanOrEqual(grant.expiresAt);
          if (back === null) continue;
          const at = sentAt + back;
          grant = renewed(grant, at);
          if (heard === null || sentAt > heard.sentAt) heard = { sentAt, at };
        }
      }),
    );
  });
});

describe("contactOf", () => {
  it("goes from connected to suspect to gone, and never back without an answer", () => {
    expect(contactOf(0, leaseTimes.suspectMs - 1)).toBe("connected");
    expect(contactOf(0, leaseTimes.suspectMs)).toBe("suspect");
    expect(contactOf(0, leaseTimes.goneMs)).toBe("gone");
  });
});

describe("chooseMachine", () => {
  const offer = fc.record<Offer>({
    machine: fc.string({ minLength: 1, maxLength: 3 }),
    labels: fc.subarray(["linux-x64", "gpu"]),
    capacity: fc.integer({ min: 1, max: 4 }),
    held: fc.integer({ min: 0, max: 5 }),
    contact: fc.constantFrom("connected", "suspect", "gone"),
    isDraining: fc.boolean(),
    isSandboxed: fc.boolean(),
  });

  it("chooses only a connected, contained machine with the label and room, and one if there is any", () => {
    fc.assert(
      fc.property(fc.uniqueArray(offer, { selector: (one) => one.machine }), (offers) => {
        const fits = (one: Offer) =>
          one.contact === "connected" &&
          !one.isDraining &&
          one.isSandboxed &&
          one.held < one.capacity &&
          one.labels.includes("gpu");
        const chosen = chooseMachine(offers, "gpu");
        expect(chosen === null).toBe(!offers.some(fits));
        if (chosen !== null) expect(offers.filter(fits).map((one) => one.machine)).toContain(chosen);
      }),
    );
  });
});
