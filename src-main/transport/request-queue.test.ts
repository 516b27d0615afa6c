import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { type ClientLine, RequestQueue, requestLimits } from "./request-queue.ts";

/** A line whose requests end when the test says so. */
class Line implements ClientLine {
  readonly started: string[] = [];
  readonly refused: string[] = [];
  readonly states: string[] = [];
  readonly #ends = new Map<string, () => void>();

  start(frame: string): Promise<void> {
    const { i } = JSON.parse(frame) as { i: string };
    this.started.push(i);
    return new Promise((resolve) => this.#ends.set(i, resolve));
  }
  send(frame: string): void {
    const { i, p } = JSON.parse(frame) as { i: string; p: { s: number; b: { json: { code: string } } } };
    expect(p).toMatchObject({ s: 429, b: { json: { code: "TOO_MANY_REQUESTS", defined: true } } });
    this.refused.push(i);
  }
  pause(): void {
    this.states.push("paused");
  }
  resume(): void {
    this.states.push("resumed");
  }
  hangUp(): void {
    this.states.push("hung up");
  }
  end(id: string): void {
    this.#ends.get(id)?.();
  }
}

const ask = (id: number | string, path = "/run/state", more = ""): string =>
  JSON.stringify({ i: String(id), p: { u: path, b: more } });
const cancel = (id: number): string => JSON.stringify({ i: String(id), t: 4 });

async function settled(): Promise<void> {
  for (let count = 0; count < 50; count++) await turn();
}

test("a limited number runs, a limited number waits in order, and the rest is refused at once", async () => {
  const queue = new RequestQueue();
  const line = new Line();
  const { active, waiting } = requestLimits;
  for (let id = 0; id < active + waiting + 10; id++) queue.take(line, ask(id));
  await settled();
  expect(line.started).toEqual(Array.from({ length: active }, (_, id) => String(id)));
  expect(line.refused).toEqual(Array.from({ length: 10 }, (_, id) => String(active + waiting + id)));
  line.end("1");
  await settled();
  expect(line.started.slice(active)).toEqual([String(active)]);
  queue.take(line, ask("one more"));
  await settled();
  expect(line.refused).toHaveLength(10);
});

test("two windows of one client share its limit, and waiting requests of a closed one are dropped", async () => {
  const queue = new RequestQueue();
  const [one, other] = [new Line(), new Line()];
  for (let id = 0; id < requestLimits.active + 5; id++) queue.take(one, ask(id));
  queue.take(other, ask("theirs"));
  await settled();
  expect(other.started).toEqual([]);
  queue.close(one);
  one.end("0");
  await settled();
  expect(one.started).toHaveLength(requestLimits.active);
  expect(other.started).toEqual(["theirs"]);
});

test("a cancelled waiting request costs nothing", async () => {
  const queue = new RequestQueue();
  const line = new Line();
  const { active } = requestLimits;
  for (let id = 0; id < active + 2; id++) queue.take(line, ask(id));
  queue.take(line, cancel(active));
  await settled();
  line.end("0");
  line.end("1");
  await settled();
  expect(line.started).toEqual([
    ...Array.from({ length: active }, (_, id) => String(id)),
    String(active + 1),
  ]);
  // One that is worked on is oRPC's to end.
  queue.take(line, cancel(2));
  await settled();
  expect(line.started.at(-1)).toBe("2");
});

test("streams stay open in addition to that, up to a limit", async () => {
  const queue = new RequestQueue();
  const line = new Line();
  for (let id = 0; id < requestLimits.streams + 1; id++) queue.take(line, ask(`s${id}`, "/watch"));
  queue.take(line, ask("question"));
  await settled();
  expect(line.started).toHaveLength(requestLimits.streams + 1);
  expect(line.started).toContain("question");
  expect(line.refused).toEqual([`s${requestLimits.streams}`]);
});

test("large requests run fewer at once, and unread ones stay in the socket", async () => {
  const queue = new RequestQueue();
  const line = new Line();
  const large = "x".repeat(requestLimits.waitingCharacters / 4);
  for (let id = 0; id < requestLimits.active + 6; id++) queue.take(line, ask(id, "/plan/check", large));
  expect(line.states).toContain("paused");
  await settled();
  expect(line.refused).toEqual([3, 4, 5].map((id) => String(requestLimits.active + id)));
  expect(line.states.at(-1)).toBe("resumed");
});

test("a client that sends invalid input is disconnected, with all that came after", async () => {
  const queue = new RequestQueue();
  const line = new Line();
  for (const frame of ["{", ask(1), null, ask(2)]) queue.take(line, frame);
  await settled();
  expect(line.states).toContain("hung up");
  expect(line.started).toEqual([]);
});
