import { join } from "node:path";
import { expect } from "vitest";
import { rowsOf } from "./killed-run-findings.ts";
import type { Fixture } from "./run-fixture.ts";

/** The model was asked nothing twice, each of its answers is charged once, and each seat has one vote. */
export function expectCountedOnce({ repo, standIn }: Pick<Fixture, "repo" | "standIn">): void {
  const rows = (query: string) => rowsOf(join(repo.folder, "state"), query);
  expect(rows("SELECT request FROM spending")).toHaveLength(standIn.requests().length);
  const asked = standIn.requests().map(({ body }) => JSON.stringify(body));
  expect(new Set(asked).size).toBe(asked.length);
  const votes = rows("SELECT run, attempt, seat, replacement FROM votes").map((vote) => JSON.stringify(vote));
  expect(new Set(votes).size).toBe(votes.length);
}
