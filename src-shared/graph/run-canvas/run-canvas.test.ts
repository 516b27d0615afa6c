import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { spineY } from "./canvas-columns.ts";
import type { CanvasTask, RunCanvasInput } from "./canvas-input.ts";
import { maxRow, minRowHeight } from "./canvas-rows.ts";
import { layOutRun, markGap } from "./layout.ts";
import { middleOf, type RunCanvas } from "./run-canvas.ts";
import { type Sample, sampleRun } from "./testing/sample-run.ts";
import { answersHeight } from "./waiting-bubbles.ts";

const samples = fc.record({
  lanes: fc.integer({ min: 1, max: 60 }),
  parts: fc.integer({ min: 0, max: 4 }),
  seed: fc.nat(10_000),
  minutes: fc.integer({ min: 1, max: 240 }),
});
const rooms = fc.constantFrom(
  { width: 1060, height: 760 },
  { width: 676, height: 560 },
  { width: 800, height: 440 },
  { width: 420, height: 300 },
);
const sized = (sample: Sample, room: RunCanvasInput["room"], more: Partial<RunCanvasInput> = {}): RunCanvas =>
  layOutRun({ ...sampleRun(sample), room, ...more });

const ids = (tasks: readonly CanvasTask[]): readonly string[] =>
  tasks.flatMap(({ id, part }) => [id, ...(part ? ids(part.tasks) : [])]);

describe("the canvas of a run", () => {
  test("is the same in any order of tracks and workers", () => {
    fc.assert(
      fc.property(samples, rooms, fc.integer(), (sample, room, turn) => {
        const input = { ...sampleRun(sample), room };
        const tracks = input.timeline?.tracks ?? [];
        const at = Math.abs(turn) % Math.max(1, tracks.length);
        const turned = input.timeline && {
          ...input.timeline,
          tracks: [...tracks.slice(0, 1), ...tracks.slice(1 + at), ...tracks.slice(1, 1 + at)],
        };
        expect(layOutRun({ ...input, timeline: turned })).toEqual(layOutRun(input));
      }),
    );
  });

  test("names each task once, above or below each other, and inside the room or to be scrolled to", () => {
    fc.assert(
      fc.property(samples, rooms, (sample, room) => {
        const input = { ...sampleRun(sample), room };
        const { rows, rowsTop, rowsBottom, columns } = layOutRun({ ...input, folded: allOpen });
        expect(rows.map(({ id }) => id).sort()).toEqual([...ids(input.root.tasks)].sort());
        let y = rowsTop;
        for (const row of rows) {
          expect(row.y).toBe(y);
          expect(row.height).toBeGreaterThanOrEqual(minRowHeight);
          expect(row.height).toBeLessThanOrEqual(maxRow);
          y += row.height;
        }
        expect(rowsBottom).toBe(y);
        const needed = rows.every(({ height, kind }) => height === minRowHeight || kind === "part");
        if (!needed) expect(rowsBottom).toBeLessThanOrEqual(room.height);
        expect(columns.margin).toBeLessThan(columns.start);
        expect(columns.start).toBeLessThan(columns.end);
        expect(columns.now).toBeLessThanOrEqual(columns.end);
        expect(columns.end).toBeLessThan(columns.land);
        expect(columns.land).toBeLessThan(room.width);
      }),
    );
  });

  test("draws nothing on top of each other: marks keep their distance, and none is lost while all of the time is shown", () => {
    fc.assert(
      fc.property(samples, rooms, (sample, room) => {
        const input = { ...sampleRun(sample), room };
        const canvas = layOutRun({ ...input, folded: allOpen });
        for (const { marks, line } of canvas.rows) {
          for (const [index, { x }] of marks.entries()) {
            const next = marks[index + 1];
            if (next) expect(next.x - x).toBeGreaterThanOrEqual(markGap);
            expect(x).toBeGreaterThanOrEqual((line?.from ?? 0) - 1);
            expect(x).toBeLessThanOrEqual(canvas.columns.now + 1);
          }
        }
        const drawn = canvas.rows.flatMap(({ marks }) =>
          marks.flatMap((group) => group.marks.map(({ id }) => id)),
        );
        const kept = (input.timeline?.tracks ?? [])
          .filter(({ kind }) => kind === "lane")
          .flatMap(({ marks }) => marks.map(({ id }) => id));
        expect(drawn.sort()).toEqual(kept.sort());
      }),
    );
  });

  test("keeps past events in place while time passes, until the span is full", () => {
    fc.assert(
      fc.property(samples, fc.integer({ min: 0, max: 600_000 }), (sample, later) => {
        const input = sampleRun(sample);
        const before = layOutRun(input);
        const after = layOutRun({ ...input, now: input.now + later });
        const isFull = input.now + later > before.whole.to;
        expect(after.rows.map(({ id, y, height }) => ({ id, y, height }))).toEqual(
          before.rows.map(({ id, y, height }) => ({ id, y, height })),
        );
        if (!isFull)
          expect(after.rows.map(({ marks }) => marks)).toEqual(before.rows.map(({ marks }) => marks));
      }),
    );
  });

  test("ends every line at now at the latest, also of what began since the clock was last read", () => {
    fc.assert(
      fc.property(samples, rooms, fc.integer({ min: 0, max: 60_000 }), (sample, room, late) => {
        const input = sampleRun(sample);
        const { rows, columns } = sized(sample, room, { now: input.now - late });
        for (const { line } of rows) if (line) expect(line.to).toBeLessThanOrEqual(columns.now);
      }),
    );
  });

  test("keeps every row in place when a worker starts, asks or gets a message", () => {
    fc.assert(
      fc.property(samples, rooms, fc.nat(), (sample, room, which) => {
        const input = { ...sampleRun({ ...sample, parts: 0 }), room };
        const at = which % input.root.tasks.length;
        const begun = input.root.tasks.map((task, index) =>
          index === at ? { ...task, worker: task.worker ?? "agent-99" } : task,
        );
        const places = ({ rows }: RunCanvas) => rows.map(({ id, y, height }) => ({ id, y, height }));
        expect(
          places(layOutRun({ ...input, waiting: [], radar: [], root: { ...input.root, tasks: begun } })),
        ).toEqual(places(layOutRun(input)));
      }),
    );
  });

  test("moves no lane when another one is merged, or returns with a conflict", () => {
    fc.assert(
      fc.property(samples, rooms, fc.nat(), (sample, room, which) => {
        const input = { ...sampleRun({ ...sample, parts: 0 }), room };
        const at = which % input.root.tasks.length;
        const placesWhere = (isFinished: boolean) =>
          layOutRun({
            ...input,
            root: {
              ...input.root,
              tasks: input.root.tasks.map((task, index) => (index === at ? { ...task, isFinished } : task)),
            },
          }).rows.map(({ id, y, height }) => ({ id, y, height }));
        expect(placesWhere(true)).toEqual(placesWhere(false));
      }),
    );
  });

  test.each([
    { width: 1040, height: 690 },
    { width: 676, height: 520 },
    { width: 1520, height: 990 },
  ])(
    "three lanes leave no more than a third of $width x $height empty, whether they are merged or not",
    (room) => {
      for (const isFinished of [false, true]) {
        const input = sampleRun({ lanes: 3, parts: 0, seed: 1, minutes: 9 });
        const tasks = input.root.tasks.map((task) => ({ ...task, isFinished }));
        const { rowsBottom } = layOutRun({ ...input, room, root: { ...input.root, tasks } });
        expect(rowsBottom).toBeGreaterThan((room.height * 2) / 3);
        expect(rowsBottom).toBeLessThanOrEqual(room.height);
      }
    },
  );

  test("labels a bracket at its own lanes, at most once a lane, and under no waiting card", () => {
    const pairs = fc.array(
      fc.record({ a: fc.integer({ min: 1, max: 20 }), b: fc.integer({ min: 1, max: 20 }) }),
      { minLength: 1, maxLength: 12 },
    );
    fc.assert(
      fc.property(
        samples,
        rooms,
        pairs,
        fc.uniqueArray(fc.integer({ min: 1, max: 20 })),
        fc.boolean(),
        (sample, room, meets, asks, sameFile) => {
          const canvas = sized({ ...sample, parts: 0 }, room, {
            radar: meets.map(({ a, b }, nth) => ({
              workers: [`agent-${a}`, `agent-${b}`],
              where: `src/${sameFile ? "ledger" : nth}.ts`,
            })),
            waiting: asks.map((nth) => ({ id: `card-${nth}`, worker: `agent-${nth}`, answers: ["Open"] })),
          });
          const labels = canvas.brackets.flatMap((bracket) =>
            bracket.labels.map((label) => ({ ...label, bracket })),
          );
          for (const { x, y, other, bracket } of labels) {
            for (const one of canvas.brackets) expect(x).toBeGreaterThan(one.x);
            expect([bracket.top, bracket.bottom]).toContain(y);
            const [first = "", second = ""] = bracket.workers;
            const [upper, lower] = [first, second].map((name) =>
              middleOf(canvas.rows.find(({ worker }) => worker === name) ?? { y: 0, height: 0 }),
            );
            expect(other).toBe(y === upper ? second : first);
            expect([upper, lower].sort((one = 0, two = 0) => one - two)).toEqual([
              bracket.top,
              bracket.bottom,
            ]);
            for (const bubble of canvas.bubbles)
              expect(Math.abs(bubble.y - y)).toBeGreaterThanOrEqual(bubble.height / 2 + 10);
          }
          expect(new Set(labels.map(({ y }) => y)).size).toBe(labels.length);
          for (const [at, one] of canvas.brackets.entries())
            for (const other of canvas.brackets.slice(at + 1))
              if (one.x === other.x && canvas.brackets.length <= 6)
                expect(one.bottom < other.top || other.bottom < one.top).toBe(true);
        },
      ),
    );
  });

  test("the forecast shows no pair whose work is merged on both sides, and any that still works", () => {
    const input = sampleRun({ lanes: 6, parts: 0, seed: 1, minutes: 10 });
    const radar = [{ workers: ["agent-1", "agent-3"], where: "src/ledger.ts" }];
    const bracketsWhere = (finished: readonly number[]) =>
      layOutRun({
        ...input,
        radar,
        root: {
          ...input.root,
          tasks: input.root.tasks.map((task, at) => ({
            ...task,
            worker: `agent-${at + 1}`,
            isFinished: finished.includes(at + 1),
          })),
        },
      }).brackets;
    expect(bracketsWhere([])).toHaveLength(1);
    expect(bracketsWhere([1])).toHaveLength(1);
    expect(bracketsWhere([1, 3])).toHaveLength(0);
  });

  test("several that meet in one place share a bracket with a dot on each lane", () => {
    const input = sampleRun({ lanes: 6, parts: 0, seed: 1, minutes: 10 });
    const where = "api.ts, lines 40–60: 3 agents";
    const workers = ["agent-1", "agent-2", "agent-4"];
    const { brackets, rows } = layOutRun({
      ...input,
      radar: [{ workers, where }],
      root: {
        ...input.root,
        tasks: input.root.tasks.map((task, at) => ({ ...task, worker: `agent-${at + 1}` })),
      },
    });
    const lanes = rows.filter(({ worker }) => workers.includes(worker ?? ""));
    expect(brackets).toMatchObject([{ where, dots: lanes.map(middleOf).toSorted((one, two) => one - two) }]);
    expect(brackets[0]?.dots).toHaveLength(3);
    expect(brackets[0]?.dots).toContain(brackets[0]?.top);
  });

  test("an agent that meets one of another run, which has no lane here, has a mark with its address", () => {
    const input = sampleRun({ lanes: 6, parts: 0, seed: 1, minutes: 10 });
    const radar = [{ workers: ["agent-2", "O-A-2/agent-9"], where: "api.ts" }];
    const tasks = input.root.tasks.map((task, at) => ({ ...task, worker: `agent-${at + 1}` }));
    const { brackets } = layOutRun({ ...input, waiting: [], radar, root: { ...input.root, tasks } });
    expect(brackets).toMatchObject([
      { workers: ["agent-2", "O-A-2/agent-9"], labels: [{ other: "O-A-2/agent-9", more: 0 }] },
    ]);
    expect(brackets[0]?.dots).toEqual([brackets[0]?.top]);
  });

  const cards = fc.array(
    fc.record({
      nth: fc.option(fc.integer({ min: 1, max: 60 })),
      answers: fc.array(fc.string({ maxLength: 60 }), { minLength: 1, maxLength: 4 }),
    }),
    { maxLength: 40 },
  );
  const asWaiting = (list: typeof cards extends fc.Arbitrary<infer T> ? T : never) =>
    list.map(({ nth, answers }, at) => ({
      ...{ id: `card-${at}`, answers },
      worker: nth === null ? "O-A-1" : `agent-${nth}`,
    }));

  test("waiting cards do not overlap, are inside the room, and none is lost", () => {
    fc.assert(
      fc.property(samples, rooms, cards, (sample, room, asks) => {
        const waiting = asWaiting(asks);
        const { bubbles, rowsTop, rowsBottom } = sized(sample, room, { waiting });
        expect(bubbles.reduce((sum, { more }) => sum + 1 + more, 0)).toBe(waiting.length);
        const inOrder = bubbles.toSorted((one, other) => one.y - other.y);
        for (const [index, { x, y, width, height }] of inOrder.entries()) {
          expect(x).toBeGreaterThanOrEqual(0);
          expect(x + width).toBeLessThanOrEqual(room.width);
          if (index > 0 || bubbles.length > 1) {
            expect(y - height / 2).toBeGreaterThanOrEqual(rowsTop);
            expect(y + height / 2).toBeLessThanOrEqual(Math.max(room.height, rowsBottom));
          }
          const next = inOrder[index + 1];
          if (next) expect(next.y - y).toBeGreaterThanOrEqual((height + next.height) / 2);
        }
      }),
    );
  });

  test("an answer stays in place while time passes, lanes are merged and later cards arrive", () => {
    fc.assert(
      fc.property(
        samples,
        rooms,
        cards,
        fc.nat(3_600_000),
        fc.nat(40),
        (sample, room, asks, later, count) => {
          const input = { ...sampleRun({ ...sample, parts: 0 }), room };
          const waiting = asWaiting(asks);
          const known = waiting.slice(0, count);
          const buttons = (canvas: RunCanvas) =>
            canvas.bubbles.map(({ card, x, y, width, height }) => ({ card, x, y, width, height }));
          const before = buttons(layOutRun({ ...input, waiting: known }));
          const after = buttons(
            layOutRun({
              ...input,
              waiting,
              now: input.now + later,
              root: { ...input.root, tasks: input.root.tasks.map((task) => ({ ...task, isFinished: true })) },
            }),
          );
          expect(after.slice(0, before.length)).toEqual(before);
        },
      ),
    );
  });

  test("answers are shown completely if each fits on two lines of the bubble", () => {
    expect(answersHeight(["Cents", "Tenths of a cent"], 244)).toBe(24);
    expect(answersHeight(["Cents", "Tenths of a cent"], 172)).toBe(24 + 4 + 24);
    expect(answersHeight(["Cents", "x".repeat(40)], 172)).toBe(24 + 4 + 40);
  });

  test("titles of decisions overlap no other title or mark, and are inside the room", () => {
    fc.assert(
      fc.property(samples, rooms, fc.array(fc.nat(10_000), { maxLength: 12 }), (sample, room, moments) => {
        const input = sampleRun(sample);
        const [one] = input.timeline?.decisions ?? [];
        const from = one?.at ?? 0;
        const decisions = moments.flatMap((ms, at) =>
          one ? [{ ...one, id: `d${at}`, at: from + ms * 6, settledAt: from + ms * 6 }] : [],
        );
        const timeline = input.timeline && { ...input.timeline, decisions };
        const bars = sized(sample, room, { timeline }).decisions;
        const spans = bars.flatMap(({ x, title }) =>
          title === null
            ? []
            : [{ x, from: title.isLeft ? x - title.width : x, to: title.isLeft ? x : x + title.width }],
        );
        for (const { x, from, to } of spans) {
          expect(from).toBeGreaterThanOrEqual(0);
          expect(to).toBeLessThanOrEqual(room.width);
          for (const other of spans) if (other.x < x) expect(other.to).toBeLessThanOrEqual(from);
        }
      }),
    );
  });

  test("shows only the future right of now, and counted votes left of it", () => {
    fc.assert(
      fc.property(samples, rooms, fc.integer({ min: 1, max: 9 }), (sample, room, voted) => {
        const ahead = { hasContracts: true, hasIntegration: false, seats: 0, hasLanding: true, voted };
        const { columns, links } = sized(sample, room, { ahead });
        expect(columns.integrate).toBeNull();
        expect(columns.seats).toEqual([]);
        expect(columns.votes).toHaveLength(voted);
        expect(links.filter(({ kind }) => kind === "ahead" || kind === "gathers")).toEqual([]);
        if (columns.now - columns.start > 250)
          for (const { x, y } of columns.votes) {
            expect(x).toBeLessThanOrEqual(columns.now);
            // None lies on the mark of their count.
            expect(Math.abs(y - spineY)).toBeGreaterThan(12);
          }
      }),
    );
  });

  test("shows contracts as written once they are, and not from the plan's approval", () => {
    const input = sampleRun({ lanes: 3, parts: 0, seed: 1, minutes: 5 });
    const { timeline } = input;
    if (!timeline) throw new Error("A sample has a timeline.");
    const tracks = timeline.tracks.map((track) => ({
      ...track,
      marks: track.marks.filter(({ kind }) => kind !== "contracts"),
    }));
    expect(layOutRun({ ...input, timeline: null }).spine.areContractsWritten).toBe(false);
    expect(layOutRun({ ...input, timeline: { ...timeline, tracks } }).spine.areContractsWritten).toBe(false);
    expect(layOutRun(input).spine.areContractsWritten).toBe(true);
  });

  test("puts the seats of validators between integration and landing, however narrow the window", () => {
    for (const width of [420, 440, 676, 1060])
      for (const seats of [1, 2, 4, 7]) {
        const input = sampleRun({ lanes: 3, parts: 0, seed: 1, minutes: 5 });
        const { columns } = layOutRun({
          ...input,
          room: { width, height: 560 },
          ahead: { ...input.ahead, seats },
        });
        const reach = 6.5;
        for (const { x } of columns.seats) {
          const { integrate, land } = columns;
          expect(x - reach).toBeGreaterThanOrEqual((integrate?.x ?? 0) + (integrate?.width ?? 0) / 2);
          expect(x + reach).toBeLessThanOrEqual(land - 8);
        }
      }
  });

  test("planned items are there before and after: rows, integration, seats and landing", () => {
    const planned = sampleRun({ lanes: 16, parts: 0, seed: 3, minutes: 1 });
    const nobody = {
      ...planned,
      timeline: null,
      root: {
        ...planned.root,
        tasks: planned.root.tasks.map((task) => ({ ...task, worker: null, isFinished: false })),
      },
    };
    const before = layOutRun(nobody);
    const after = layOutRun(planned);
    expect(before.rows.map(({ id }) => id)).toEqual(after.rows.map(({ id }) => id));
    for (const { columns } of [before, after]) {
      expect(columns.integrate).not.toBeNull();
      expect(columns.seats).toHaveLength(4);
    }
    expect(before.columns.seats).toEqual(after.columns.seats);
    expect(before.columns.land).toBe(after.columns.land);
    expect(before.rows.every(({ line }) => line === null)).toBe(true);
  });

  test.each([
    { lanes: 3, detail: "full" },
    { lanes: 16, detail: "two" },
    { lanes: 50, detail: "line" },
  ] as const)("$lanes lanes are all named, with room for $detail", ({ lanes, detail }) => {
    const { rows } = sized({ lanes, parts: 0, seed: 1, minutes: 12 }, { width: 1060, height: 760 });
    expect(rows).toHaveLength(lanes);
    expect(new Set(rows.map((row) => row.detail))).toEqual(new Set([detail]));
  });

  test("the future of few lanes leads to the integration separately, that of many along one line", () => {
    fc.assert(
      fc.property(samples, rooms, (sample, room) => {
        const { links, rows, columns } = sized(sample, room);
        const apart = links.flatMap(({ kind, row }) => (kind === "ahead" ? [row] : []));
        const straight = rows.filter(({ ahead }) => ahead !== null);
        const gathers = links.filter(({ kind }) => kind === "gathers");
        const open = rows.flatMap((row) => (row.depth === 0 && !row.isFinished ? [row.id] : []));
        expect(apart).toEqual(open.length > 6 ? [] : open);
        expect(straight.map(({ id }) => id)).toEqual(open.length > 6 ? open : []);
        expect(gathers).toHaveLength(open.length > 6 ? 1 : 0);
        for (const { from, to } of gathers) {
          expect(from.x).toBeGreaterThan(columns.now);
          expect(to.x).toBeLessThanOrEqual((columns.integrate?.x ?? 0) - (columns.integrate?.width ?? 0) / 2);
          for (const { ahead } of straight) expect(ahead).toEqual({ from: columns.now + 8, to: from.x });
          expect(from.y).toBe(Math.max(...straight.map(middleOf)));
        }
      }),
    );
  });

  test("parts fold automatically with many lanes, and stay as the user set them", () => {
    const sample = { lanes: 60, parts: 4, seed: 5, minutes: 20 };
    const room = { width: 1060, height: 760 };
    expect(sized(sample, room).rows).toHaveLength(4);
    const opened = sized(sample, room, { folded: { "O-B-2": false } });
    expect(opened.rows).toHaveLength(4 + 15);
    expect(sized({ ...sample, lanes: 8 }, room, { folded: { "O-B-1": true } }).rows).toHaveLength(4 + 6);
  });

  test("draws the beginning of a lane near where it began, however late that was", () => {
    fc.assert(
      fc.property(samples, rooms, (sample, room) => {
        const { links } = sized(sample, room, { folded: allOpen });
        for (const { kind, from, to } of links)
          if (kind === "begins") expect(to.x - from.x).toBeLessThanOrEqual(44);
      }),
    );
  });

  test("two hundred lanes are laid out and scrolled", () => {
    const { rows, rowsBottom } = sized(
      { lanes: 200, parts: 0, seed: 9, minutes: 90 },
      { width: 1060, height: 760 },
    );
    expect(rows).toHaveLength(200);
    expect(rowsBottom).toBeGreaterThan(760);
  });

  test("a decision reaches the lanes that it binds, and shows where it conflicts", () => {
    const { decisions, rows } = sized(
      { lanes: 6, parts: 0, seed: 2, minutes: 9 },
      { width: 1060, height: 760 },
    );
    const [bar] = decisions;
    expect(bar?.conflicts).toHaveLength(1);
    const bound = rows.filter(({ worker }) => worker !== null);
    expect(bar?.bottom).toBe(Math.max(...bound.map(({ y, height }) => y + height / 2)));
  });
});

const allOpen = { "O-B-1": false, "O-B-2": false, "O-B-3": false, "O-B-4": false };
