import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../run/events.ts";
import { reduceRun, replayRun } from "../../run/reduce.ts";
import { newRun } from "../../run/state.ts";
import { rootOrchestrator } from "../change-metadata/address.ts";
import { newWorker } from "../worker/worker-record.ts";
import { sampleRun, sampleRunOfParts, sampleState, sampleTimelines } from "./testing/sample-timelines.ts";
import { timelineOf, tracksOf } from "./timeline-of.ts";

const samples = [sampleRun(3), sampleRun(16), sampleRunOfParts(3)];
const anySample = fc.constantFrom(...samples);
const noParts = { asked: [], proposed: [], written: [], awaited: [] };

/** The events of a run in any order, some of them more than once, at times that may go back. */
const anyEvents = anySample.chain(({ events }) =>
  fc.array(fc.tuple(fc.nat(400_000), fc.constantFrom(...events.map(({ event }) => event))), {
    maxLength: 80,
  }),
);
const begun = newRun("r", 0, rootOrchestrator);
const reduceAll = (events: readonly (readonly [number, RunEvent])[], from = begun) =>
  replayRun(
    from,
    events.map(([at, event]) => ({ at, event })),
  );

describe("a run's timeline", () => {
  it("is the same whether its events come at once or in two parts", () => {
    fc.assert(
      fc.property(anyEvents, fc.nat(80), (events, cut) => {
        const whole = reduceAll(events);
        expect(reduceAll(events.slice(cut), reduceAll(events.slice(0, cut)))).toEqual(whole);
        // As after a reload: nothing hangs on what is plain JSON only by chance.
        expect(JSON.parse(JSON.stringify(timelineOf(whole.timeline, noParts)))).toEqual(
          timelineOf(whole.timeline, noParts),
        );
      }),
    );
  });

  it("only ever grows: marks stay, stretches end once, lanes with work keep their order", () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        let before = begun;
        for (const [at, event] of events) {
          const after = reduceRun(before, event, at);
          const now = new Map(tracksOf(after.timeline).map((track) => [track.id, track]));
          for (const track of tracksOf(before.timeline)) {
            const own = now.get(track.id) ?? after.timeline.tracks[track.id];
            expect(own?.marks.slice(0, track.marks.length)).toEqual(track.marks);
            for (const [index, stretch] of track.stretches.entries())
              expect(own?.stretches[index]).toEqual(
                stretch.to === null ? { ...stretch, to: own?.stretches[index]?.to } : stretch,
              );
          }
          const kept = tracksOf(before.timeline)
            .filter(({ workers }) => workers.length > 0)
            .map(({ id }) => id);
          const isPlan = event.kind.startsWith("Plan") || event.kind === "AmendmentFinished";
          if (!isPlan) {
            const order = [...now.keys()];
            const places = kept.map((id) => order.indexOf(id)).filter((place) => place >= 0);
            expect(places).toEqual(places.toSorted((one, other) => one - other));
          }
          before = after;
        }
      }),
    );
  });

  it("has unique ids, and times in order", () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const tracks = tracksOf(reduceAll(events).timeline);
        const ids = tracks.flatMap(({ id, marks, stretches }) => [
          id,
          ...[...marks, ...stretches].map((one) => one.id),
        ]);
        expect(new Set(ids).size).toBe(ids.length);
        for (const { marks, stretches } of tracks) {
          const times = marks.map(({ at }) => at);
          expect(times).toEqual(times.toSorted((one, other) => one - other));
          for (const { from, to } of stretches) expect(to ?? from).toBeGreaterThanOrEqual(from);
        }
      }),
    );
  });

  it("has the beginning of each phase but the first, and no phase end", () => {
    const [spine] = tracksOf(sampleState(sampleRun(16)).timeline);
    const phases = spine?.marks.filter(({ kind }) => kind === "phase");
    const ended = sampleRun(16).events.find(
      ({ event }) =>
        event.kind === "StageMoved" && event.event.kind === "PhaseComplete" && event.event.phase === 1,
    );
    expect(phases).toEqual([expect.objectContaining({ phase: 2, at: ended?.at })]);
    // One phase, all of its tasks done.
    const all = { kind: "StageMoved", orchestrator: "O-A-1", event: { kind: "AllTasksComplete" } } as const;
    const done = reduceRun(sampleState(sampleRun(3)), all, sampleRun(3).startedAt + 10 ** 9);
    expect(tracksOf(done.timeline)[0]?.marks.filter(({ kind }) => kind === "phase")).toEqual([]);
  });

  it("adds nothing for a repeated event", () => {
    for (const sample of samples) {
      const end = sampleState(sample);
      const started = sample.events[0];
      expect(started && reduceRun(end, started.event, started.at)).toBe(end);
      expect(reduceRun(end, { kind: "TroubleAnswered", of: "agent-1" }, 0).timeline).toBe(end.timeline);
    }
  });
});

describe("events of one agent", () => {
  const trackOf = (id: string) => sampleTimelines.sixteen.tracks.find((track) => track.id === id);
  it("are on its lane: begun, its iterations with their checks, offered, merged", () => {
    const marks = trackOf("O-A-1/t5")?.marks.map((mark) => mark.kind);
    expect(marks).toEqual([
      ...["began", "iteration", "iteration", "iteration", "offered", "sent-back", "offered", "merged"],
    ]);
    const failed = trackOf("O-A-1/t5")?.marks.flatMap((mark) =>
      mark.kind === "iteration" ? [mark.failed] : [],
    );
    expect(failed).toContainEqual(["npm test"]);
    expect(failed).toContainEqual([]);
  });
  it("include stretches: asking, in conflict, held, taken over, stuck, paused", () => {
    const kinds = new Set(
      sampleTimelines.sixteen.tracks.flatMap(({ stretches }) => stretches.map((one) => one.kind)),
    );
    expect([...kinds].toSorted()).toEqual(["asks", "by-hand", "conflict", "held", "paused", "stuck"]);
    const [pause] = sampleTimelines.sixteen.tracks[0]?.stretches ?? [];
    expect(pause).toMatchObject({ kind: "paused", worker: null });
    expect((pause?.to ?? 0) - (pause?.from ?? 0)).toBe(90_000);
  });
  it("tell a stalled agent from a blocked one", () => {
    const worker = "agent-1";
    const iteration = (nth: number, hasProgressed: boolean): readonly [number, RunEvent] => [
      nth * 1_000,
      {
        ...{ kind: "IterationEnded", worker, iteration: nth, status: "in_progress", checks: [] },
        ...{ contradicts: null, hasConflict: false, hasProgressed, stalledAfter: 2, at: nth * 1_000 },
      },
    ];
    const joined = newWorker({ name: worker, role: "agent", parent: "O-A-1", title: "Work", task: "t1" });
    const { timeline } = reduceAll([
      [0, { kind: "WorkerJoined", worker, record: joined }],
      ...[false, false, false, true].map((hasProgressed, nth) => iteration(nth + 1, hasProgressed)),
      [5_000, { kind: "WorkerStuck", worker, cause: "blocked", reason: "no key" }],
    ]);
    expect(timeline.tracks["O-A-1/t1"]?.stretches).toMatchObject([
      { kind: "stalled", from: 2_000, to: 4_000 },
      { kind: "stuck", from: 5_000, to: null },
    ]);
  });
});

describe("lanes", () => {
  it("of parts are below their own spine, in place of the delegated task", () => {
    expect(sampleTimelines.twoParts.tracks.map(({ id, kind }) => `${kind} ${id}`)).toEqual([
      "spine O-A-1",
      "spine O-B-1",
      ...[1, 2, 3, 4].map((nth) => `lane O-B-1/t${nth}`),
      "spine O-B-2",
      ...[1, 2, 3, 4].map((nth) => `lane O-B-2/t${nth}`),
      "lane O-A-1/t3",
    ]);
    expect(sampleTimelines.twoParts.tracks[1]).toMatchObject({ parent: "O-A-1", task: "t1", title: "Users" });
  });

  it("of attempts are next to the first, a replacement is on the same", () => {
    const sample = sampleRun(3);
    const joins = (name: string, more: object): RunEvent => ({
      kind: "WorkerJoined",
      worker: name,
      record: { name, role: "agent", parent: "O-A-1", task: "t1", title: "Read users", phase: 1, ...more },
    });
    const events: readonly (readonly [number, RunEvent])[] = [
      [1, joins("agent-8", {})],
      [2, { kind: "TaskReassigned", worker: "agent-8", to: "agent-9" }],
      [3, joins("agent-9", { replaces: "agent-8" })],
    ];
    const tracks = tracksOf(reduceAll(events, sampleState(sample)).timeline);
    expect(tracks.slice(1, 3).map(({ id, workers }) => [id, workers])).toEqual([
      ["O-A-1/t1", ["agent-1"]],
      ["O-A-1/t1/agent-8", ["agent-8", "agent-9"]],
    ]);
  });

  it("of a task removed from the plan are gone, unless there was work on it", () => {
    const sample = sampleRun(50);
    const approved = sample.events.find(({ event }) => event.kind === "PlanApproved")?.event;
    if (approved?.kind !== "PlanApproved") throw new Error("no plan");
    const tasks = approved.plan.tasks.filter(({ id }) => id !== "t2" && id !== "t50").toReversed();
    const state = sampleState(sample);
    const order = tracksOf(
      reduceAll(
        [[1, { kind: "PlanRevised", orchestrator: "O-A-1", plan: { ...approved.plan, tasks } }]],
        state,
      ).timeline,
    ).map(({ id }) => id);
    expect(order).not.toContain("O-A-1/t50");
    expect(order.slice(-2)).toEqual(["O-A-1/t1", "O-A-1/t2"]);
  });
});

describe("decisions", () => {
  it("keep their card's id, bind lanes, and show conflicts", () => {
    const [applied, waiting] = sampleTimelines.three.decisions;
    expect(applied).toMatchObject({ card: "card/d1", id: "kdecision", state: "applied" });
    expect(applied?.binds).toEqual(["O-A-1/t1", "O-A-1/t2", "O-A-1/t3"]);
    expect(applied?.conflicts).toEqual(["O-A-1/t2"]);
    expect(waiting).toMatchObject({ card: "card/d2", id: "card/d2", state: "waits", settledAt: null });
  });
  it("that were withdrawn or refused say so", () => {
    const sample = sampleRun(3);
    const state = reduceAll(
      [[9e15, { kind: "DecisionsWithdrawn", decisions: ["kdecision"] }]],
      sampleState(sample),
    );
    const { decisions } = timelineOf(state.timeline, {
      ...sample.parts,
      proposed: sample.parts.proposed.map((one) => ({ ...one, answeredAt: one.answeredAt ?? 5 })),
    });
    expect(decisions.map((one) => one.state)).toEqual(["withdrawn", "refused"]);
  });
});

it("lists questions and answers", () => {
  const messages = sampleTimelines.three.messages;
  expect(messages.map(({ kind, from, to, settledAt }) => [kind, from, to, settledAt !== null])).toEqual([
    ["question", "agent-1", "O-A-1", true],
    ["question", "agent-1", "you", true],
    ["answer", "you", "agent-1", true],
    ["answer", "O-A-1", "O-A-1/agent-1", false],
    ["info", "you", "O-A-1/agent-2", true],
    ["question", "agent-3", "you", false],
  ]);
});
