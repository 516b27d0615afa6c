import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunEvent } from "../../run/events.ts";
import {
  depthBelow,
  type ForkEvent,
  type ForkLimits,
  type ForkResult,
  type Forks,
  forkOfCall,
  heldByOthers,
  holderOf,
  isAtWork,
  isCloneCall,
  reduceForks,
  rootCaller,
  whyNoFork,
} from "./fork-events.ts";

const result: ForkResult = {
  status: "success",
  content: "Done.",
  error: null,
  metadata: {
    agent: "clone",
    model: "m",
    provider: "p",
    latency_ms: 1,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
};
const begun = (
  fork: string,
  caller: string,
  more: Partial<Extract<ForkEvent, { kind: "ForkStarted" }>> = {},
): ForkEvent => ({
  kind: "ForkStarted",
  fork,
  caller,
  conversation: "1",
  callId: `call-${fork}`,
  agent: "clone",
  task: "Look.",
  cloneDepth: 1,
  namedDepth: 0,
  begunAt: 0,
  ...more,
});
const all = (...events: readonly RunEvent[]): Forks =>
  events.reduce((forks: Forks, event) => reduceForks(forks, event), {});
const wrote = (fork: string, path: string): ForkEvent => ({ kind: "ForkWrote", fork, path });
const ended = (fork: string): ForkEvent => ({ kind: "ForkEnded", fork, result });
const over = (worker: string): RunEvent => ({ kind: "WorkReset", worker });
const limits: ForkLimits = {
  enabled: true,
  allowClones: true,
  maxDepth: 2,
  maxCloneForkDepth: 1,
};

const names = ["a", "b", "c"];
const anyEvent: fc.Arbitrary<RunEvent> = fc.oneof(
  fc
    .record({ fork: fc.constantFrom(...names), caller: fc.constantFrom("agent-1", "agent-2", ...names) })
    .filter(({ fork, caller }) => fork !== caller)
    .chain(({ fork, caller }) =>
      fc
        .record({ conversation: fc.constantFrom("1", "2"), callId: fc.constantFrom("x", "y") })
        .map((call) => begun(fork, caller, call)),
    ),
  fc
    .record({ fork: fc.constantFrom(...names), path: fc.constantFrom("p", "q") })
    .map(({ fork, path }) => wrote(fork, path)),
  fc.constantFrom(...names).map(ended),
  fc
    .record({ fork: fc.constantFrom(...names), cachedShare: fc.double({ min: 0, max: 1, noNaN: true }) })
    .map((one): ForkEvent => ({ kind: "ForkFirstAnswered", ...one })),
  fc.constantFrom("agent-1", "agent-2", ...names).map(over),
);
/** Nobody is begun by whom it began. */
const inOrder = (events: readonly RunEvent[]) => {
  const known = new Set<string>();
  return events.filter((event) => {
    if (event.kind !== "ForkStarted") return true;
    if (names.includes(event.caller) && !known.has(event.caller)) return false;
    known.add(event.fork);
    return true;
  });
};

test("a repeated or late event changes nothing, and a result is never lost", () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 30 }).map(inOrder), (events) => {
      let forks: Forks = {};
      for (const event of events) {
        const before = forks;
        forks = reduceForks(forks, event);
        expect(reduceForks(forks, event)).toBe(forks);
        for (const [name, fork] of Object.entries(before)) {
          expect(forks[name]?.callId).toBe(fork.callId);
          if (!isAtWork(fork)) expect(forks[name]).toBe(fork);
        }
        // A path has one holder among those who work for different ends.
        for (const one of Object.values(forks))
          for (const path of one.files) {
            const holder = holderOf(forks, one.name, path);
            if (holder !== null) expect(isAtWork(holder)).toBe(true);
            expect(heldByOthers(forks, one.name).includes(path)).toBe(holder !== null);
          }
      }
    }),
  );
});

test("a call finds its fork again by caller, conversation and call", () => {
  const forks = all(begun("a", "agent-1"), begun("b", "agent-1", { callId: "other" }), ended("a"));
  const call = { caller: "agent-1", conversation: "1", callId: "call-a" };
  expect(forkOfCall(forks, call)?.result).toEqual(result);
  expect(forkOfCall(forks, { ...call, conversation: "2" })).toBe(null);
  expect(forkOfCall(forks, { ...call, caller: "agent-2" })).toBe(null);
  expect(forkOfCall(forks, { ...call, callId: "none" })).toBe(null);
});

test("forks end with their caller's conversation, and so do their own forks", () => {
  const working = all(
    begun("a", "agent-1"),
    begun("b", "a", { conversation: "call-a" }),
    begun("c", "agent-2"),
  );
  const cancelled = (forks: Forks) => Object.values(forks).map(({ isCancelled }) => isCancelled);
  expect(cancelled(reduceForks(working, over("agent-1")))).toEqual([true, true, false]);
  // Another conversation of the same caller.
  expect(
    cancelled(reduceForks(working, begun("d", "agent-1", { conversation: "2", callId: "later" }))),
  ).toEqual([true, true, false, false]);
  expect(cancelled(reduceForks(reduceForks(working, ended("a")), over("agent-1")))).toEqual([
    false,
    false,
    false,
  ]);
});

test("a fork's path lock applies to its siblings, not to its caller, and not after its end", () => {
  const working = all(
    begun("a", "agent-1"),
    begun("b", "agent-1", { callId: "2" }),
    begun("c", "a", { conversation: "call-a" }),
    begun("d", "agent-2"),
    wrote("a", "src/x.ts"),
  );
  expect(holderOf(working, "b", "src/x.ts")?.name).toBe("a");
  expect(holderOf(working, "c", "src/x.ts")).toBe(null);
  // In another workspace.
  expect(holderOf(working, "d", "src/x.ts")).toBe(null);
  expect(holderOf(reduceForks(working, ended("a")), "b", "src/x.ts")).toBe(null);
  expect(rootCaller(working, "c")).toBe("agent-1");
  expect(rootCaller(working, "agent-9")).toBe("agent-9");
});

test("clones and named agents are counted separately; a refusal says which limit and where it is set", () => {
  const clone = all(begun("a", "agent-1"));
  expect(depthBelow(clone, "agent-1", true)).toEqual({ cloneDepth: 1, namedDepth: 0 });
  expect(depthBelow(clone, "a", false)).toEqual({ cloneDepth: 1, namedDepth: 1 });
  expect(whyNoFork({}, "agent-1", "clone", limits)).toBe(null);
  expect(whyNoFork(clone, "a", "clone", limits)).toContain("hive.max_clone_fork_depth");
  expect(whyNoFork(clone, "a", "reviewer", limits)).toBe(null);
  const deep = all(begun("a", "agent-1", { agent: "r", cloneDepth: 0, namedDepth: 2 }));
  expect(whyNoFork(deep, "a", "reviewer", limits)).toContain("hive.max_depth");
  expect(whyNoFork(deep, "a", "clone", limits)).toBe(null);
  expect(whyNoFork({}, "agent-1", "clone", { ...limits, allowClones: false })).toContain("hive.allow_clones");
  expect(whyNoFork({}, "agent-1", "r", { ...limits, allowClones: false })).toBe(null);
  expect(whyNoFork({}, "agent-1", "r", { ...limits, enabled: false })).toContain("hive.enabled");
  const wide = all(...Array.from({ length: 4 }, (_, at) => begun(`f${at}`, "agent-1", { callId: `${at}` })));
  expect(whyNoFork(wide, "agent-1", "clone", limits)).toContain("4 of your forks are working");
  expect(whyNoFork(reduceForks(wide, ended("f0")), "agent-1", "clone", limits)).toBe(null);
  const many = all(...Array.from({ length: 100 }, (_, at) => begun(`f${at}`, `agent-${at}`)));
  expect(whyNoFork(many, "agent-999", "clone", limits)).toContain("This run has had 100 forks");
});

test.each([
  ["", true],
  ["clone", true],
  [" clone ", true],
  ["cloner", false],
])("%j requests a clone: %j", (agent, isClone) => expect(isCloneCall(agent)).toBe(isClone));
