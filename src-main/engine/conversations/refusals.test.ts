import { expect, it } from "vitest";
import type { Run } from "../ports.ts";
import { openRefusals, passOn } from "./refusals.ts";

const refusal = { key: "permission/1", worker: "agent-1", text: "The user refused: use the store" };
const newRun = () => ({ schedule: () => undefined }) as unknown as Run;

it("waits until the worker has the message", async () => {
  const run = newRun();
  const passing = passOn(run, refusal, new AbortController().signal);
  expect(openRefusals(run)).toMatchObject([refusal]);
  openRefusals(run)[0]?.passed();
  await passing;
  expect(openRefusals(run)).toEqual([]);
});

it("keeps a refusal whose wait is aborted, before or meanwhile", async () => {
  const run = newRun();
  await passOn(run, refusal, AbortSignal.abort());
  expect(openRefusals(run)).toMatchObject([refusal]);
  const stop = new AbortController();
  const passing = passOn(run, { ...refusal, key: "permission/2" }, stop.signal);
  stop.abort();
  await passing;
  expect(openRefusals(run)).toHaveLength(2);
});
