import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CardAnswer } from "#shared/contract/cards.ts";
import { openJournal } from "../journal/journal.ts";
import { runInput } from "../journal/testing/run-input.ts";
import { tempDir } from "../testing/kit.ts";
import { createInbox } from "./inbox.ts";
import { checkedBy } from "./kernel/feature.ts";
import type { Inbox, Run } from "./ports.ts";

let folder: string;
let journal: ReturnType<typeof openJournal>;
let inbox: Inbox;

beforeEach(() => {
  folder = tempDir();
  journal = openJournal(join(folder, "journal.sqlite"), () => 1);
  journal.addRun("run-1", { ...runInput, goal: "g" });
  let ids = 0;
  inbox = createInbox({
    journal,
    run: "run-1",
    now: () => 1,
    newId: () => `id-${++ids}`,
    ended: new AbortController().signal,
    asked: () => undefined,
    answered: () => undefined,
    changed: () => undefined,
  });
});

afterEach(async () => {
  journal.close();
});

const never = new AbortController().signal;
const none = checkedBy([], {} as Run);

/** Answers the only card there is. */
const answer = (decision: CardAnswer, check = none): Promise<void> => {
  const [item] = inbox.items();
  if (!item) throw new Error("No card waits.");
  return inbox.answer({ id: item.id, nonce: item.nonce, shown: item.shown, decision }, check);
};

test("a card accepts only answers of its kind, with only the fields of its row", async () => {
  const asked = inbox.ask("depth", () => depth, never);
  await Promise.resolve();
  await expect(answer({ kind: "pause" })).rejects.toThrow(
    '"pause" is not a valid answer to a card of kind depth.',
  );
  // Another kind of card takes a bookmark with its yes; this one lands nothing.
  await expect(answer({ kind: "approve", bookmark: "main" })).rejects.toThrow("Invalid answer");
  await answer({ kind: "reject", reason: "Not so deep." });
  expect(await asked).toEqual({ kind: "reject", reason: "Not so deep." });
});

test("a card's own check refuses an answer before the capability's, and both before it counts", async () => {
  const asked = inbox.ask(
    "trouble",
    () => ({ kind: "trouble", title: "t", detail: "", remedy: "", worker: "agent-1", task: true }),
    never,
  );
  await Promise.resolve();
  let checked = 0;
  const check = checkedBy<Run>(
    [
      {
        trouble() {
          checked++;
          if (checked === 1) throw new Error("Not yet.");
        },
        // Of another kind: never asked.
        plan: () => expect.unreachable(),
      },
    ],
    {} as Run,
  );
  await expect(answer({ kind: "reject", reason: "" }, check)).rejects.toThrow("does not end the run");
  expect(checked).toBe(0);
  await expect(answer({ kind: "retry" }, check)).rejects.toThrow("Not yet.");
  expect(inbox.isOpen("trouble")).toBe(true);
  await answer({ kind: "retry", words: "Use the other file." }, check);
  expect(await asked).toEqual({ kind: "retry", words: "Use the other file." });
  expect(inbox.isOpen("trouble")).toBe(false);
});

test("a withdrawn question tells its caller, whatever its kind", async () => {
  const asked = inbox.ask(
    "question",
    () => ({ kind: "align-request", from: "agent-1", question: "?", options: [], changeId: null }),
    never,
  );
  await Promise.resolve();
  inbox.withdraw(({ kind }) => kind === "align-request", "Nobody needs it.");
  expect(await asked).toEqual({ kind: "reject", reason: "Nobody needs it." });
});

const depth = {
  kind: "depth",
  from: "O-A-1",
  level: "D",
  allowed: 3,
  tasks: [],
  reason: "",
} as const;
