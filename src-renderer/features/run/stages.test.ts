import { expect, test } from "vitest";
import type { InboxItem } from "#shared/contract/cards.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { runLine } from "./stages.ts";

const run = (patch: object): RunView =>
  ({
    ...{ stage: "executing", phase: 0, workers: [], awaiting: [], plan: null, paused: "no", endedAt: null },
    ...patch,
  }) as unknown as RunView;
const trouble = { kind: "trouble", id: "t", title: "The provider refuses the key" } as unknown as InboxItem;

test("a run that stands on trouble says so, and not the stage that it does not get on with", () => {
  expect(runLine(run({}), [trouble])).toBe("Stands still: trouble waits for you");
  expect(runLine(run({}), [])).toBe("Writing contracts");
});

test("as long as somebody works, trouble of another does not stop the run", () => {
  expect(runLine(run({ workers: [{ state: "tools" }] }), [trouble])).toBe("Writing contracts");
});

const pattern = { kind: "pattern", id: "p" } as unknown as InboxItem;

test("between a pattern's approval and the landing the line says what is done, and not what was", () => {
  const learning = (patch: object = {}): RunView => run({ stage: "learning", ...patch });
  expect(runLine(learning({ workers: [{ state: "thinking" }] }))).toBe("Looking for a pattern worth keeping");
  expect(runLine(learning({ workers: [{ state: "waiting" }], awaiting: ["p"] }), [pattern])).toBe(
    "A pattern waits for you",
  );
  expect(runLine(learning({ workers: [{ state: "waiting" }] }))).toBe(
    "Writing down what was learned, and the figures of the run",
  );
});

test("the line of a run says that the result waits for you only while its card is in the inbox", () => {
  const landing = run({ stage: "landing", awaiting: ["l", "t"] });
  expect(runLine(landing)).toBe("Preparing to land the result");
  expect(runLine(landing, [{ kind: "land", id: "l" } as unknown as InboxItem])).toBe(
    "The result waits for you to land it",
  );
  expect(runLine(landing, [trouble])).toBe("Stands still: trouble waits for you");
});
