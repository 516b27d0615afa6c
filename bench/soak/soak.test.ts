import { expect, test } from "vitest";
import type { Measures } from "../measured-host/messages.ts";
import { growing } from "./judges.ts";
import { Ledger } from "./ledger.ts";
import { soak } from "./soak.ts";

test("three agents on two workers, two people who steer and a user at full speed in the terminal lose nothing and leave nothing behind", {
  tags: ["long"],
  timeout: 1_200_000,
}, async () => {
  const lines: string[] = [];
  const report = await soak({
    agents: 3,
    minutes: 0.1,
    seed: 7,
    userMs: 1_500,
    workers: 2,
    people: 2,
    tell: (line) => lines.push(line),
  });
  expect(report.findings, lines.join("\n")).toEqual([]);
  expect(report.runs).toBeGreaterThan(0);
  expect(report.edits).toBeGreaterThan(10);
  expect(report.byHand.size).toBeGreaterThan(0);
  expect(report.steered.size).toBeGreaterThan(0);
});

test("the judges find what is lost and what grows", () => {
  const ledger = new Ledger();
  const seen = (results: readonly Record<string, unknown>[]) => ({ results }) as never;
  ledger.take(1, seen([{ tool: "write_file", input: { path: "work/a", content: "one\n" }, isError: false }]));
  ledger.take(1, seen([{ tool: "edit_file", input: { path: "work/a", new_text: "two" }, isError: false }]));
  ledger.take(1, seen([{ tool: "write_file", input: { path: "work/b", content: "no\n" }, isError: true }]));
  ledger.take(
    1,
    seen([
      { tool: "edit_file", input: { path: "shared/s", new_text: "entry x\nentry y\n" }, isError: false },
    ]),
  );
  expect(ledger.paths(1)).toEqual(["work/a", "shared/s"]);
  const texts: Record<string, string> = { "work/a": "two\n", "shared/s": "entry y\nentry z\nentry x\n" };
  expect(ledger.lost(1, (path) => texts[path] ?? null)).toEqual([]);
  // Asked for and cut off before its result came: either text is right.
  ledger.ask(1, { calls: [{ tool: "edit_file", input: { path: "work/a", new_text: "three" } }] });
  texts["work/a"] = "three\n";
  expect(ledger.lost(1, (path) => texts[path] ?? null)).toEqual([]);
  texts["work/a"] = "one\n";
  texts["shared/s"] = "entry x\n";
  expect(ledger.lost(1, (path) => texts[path] ?? null)).toHaveLength(2);
  expect(ledger.lost(1, () => null)).toHaveLength(3);

  const run = (heap: number, handles: number) => ({ heap, handles, descriptors: 30 }) as Measures;
  const flat = [run(90e6, 12), ...Array.from({ length: 9 }, (_, at) => run(40e6 + (at % 3) * 1e6, 11))];
  expect(growing(flat)).toEqual([]);
  expect(growing(flat.map((one, at) => ({ ...one, heap: one.heap + at * 8e6 })))).toHaveLength(1);
  expect(growing(flat.map((one, at) => ({ ...one, handles: 11 + at })))).toHaveLength(1);
});
