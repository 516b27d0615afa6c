import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { promptLine } from "#shared/domain/text/prompt-text.ts";
import { messagesOf } from "../agent/message-history.ts";
import { modelConversations } from "../agent/model-conversations.ts";
import {
  type ConversationsUnderTest,
  conversationsUnderTest,
} from "../agent/testing/conversation-under-test.ts";
import { openJournal } from "./journal.ts";

/**
 * Written by Hox at version 3 of the schema, in a run of three agents that was cut off while `agent-1` had asked to write
 * a file that it had read: the call stands in the journal, and has not been made.
 */
const written = join(import.meta.dirname, "testing", "version-3.sqlite");
let folder: string;
let path: string;
let one: ConversationsUnderTest | null = null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hox-journal-"));
  path = join(folder, "journal.sqlite");
  cpSync(written, path);
});
afterEach(async () => {
  await one?.close();
  rmSync(folder, { recursive: true });
});

/** What the earlier version kept, read as it wrote it. */
function asWritten() {
  const old = new DatabaseSync(written, { readOnly: true });
  const run = String(old.prepare("SELECT id FROM runs").get()?.id);
  const open = old
    .prepare("SELECT message FROM open_messages WHERE worker = 'agent-1' ORDER BY place")
    .all()
    .map(({ message }) => JSON.parse(String(message)));
  const history = JSON.parse(
    String(old.prepare("SELECT messages FROM histories WHERE worker = 'O-A-1'").get()?.messages),
  );
  const rows = old.prepare("SELECT worker, count(*) AS n FROM rows GROUP BY worker").all();
  old.close();
  return { run, open, history, rows };
}

test("a journal of the version before keeps every conversation, message by message", () => {
  const before = asWritten();
  const journal = openJournal(path, () => 1);
  expect(journal.quarantine).toBeNull();
  const open = journal.openConversation(before.run, "agent-1");
  expect(open?.key).toContain("ppzxuxwpmwsornvxllxvlvntpyllwurp");
  expect(open && messagesOf(open.token)).toEqual(before.open);
  const history = journal.history(before.run, "O-A-1");
  expect(history && messagesOf(history)).toEqual(before.history);
  // What goes on in it writes only what is new, so a part has to be what its driver would write again.
  expect(history?.parts).toEqual(before.history.map((message: unknown) => JSON.stringify(message)));
  expect(open?.token.parts).toEqual(before.open.map((message: unknown) => JSON.stringify(message)));
  expect(before.rows.length).toBeGreaterThan(1);
  for (const { worker, n } of before.rows)
    expect(journal.rows(before.run, String(worker))).toHaveLength(Number(n));
  journal.close();
});

test("an agent goes on in the middle of what it did under the version before, and an orchestrator in what it knows", async () => {
  const before = asWritten();
  one = await conversationsUnderTest([
    { name: "event", prompt: "[EVENT report]", steps: [{ say: "It is done." }] },
    { name: "task", steps: [{ say: "never" }, { say: "never" }, { say: "Written." }] },
  ]);
  const journal = openJournal(path, () => 1);
  const conversations = modelConversations({ driver: one.driver, price: () => 1 });
  const left = journal.openConversation(before.run, "agent-1");
  if (left === null) throw new Error("It is not there.");
  const { signal } = new AbortController();
  const agent = conversations.resume(left.token, {
    ...one.options(),
    onTurn: ({ parts }) =>
      journal.growConversation(
        before.run,
        "agent-1",
        left.key,
        [...parts.entries()].slice(left.token.parts.length),
      ),
  });
  expect([...agent.knownFiles().keys()]).toEqual([]);
  const end = await agent.run(null, signal);
  expect(end).toEqual({ kind: "ended", text: "Written." });
  expect(one.standIn.requests()).toHaveLength(1);
  expect(one.standIn.requests()[0]?.body).toMatchObject({
    messages: [{}, {}, {}, before.open[3], { content: [{ type: "tool_result" }] }],
  });
  expect(journal.openConversation(before.run, "agent-1")?.token).toEqual(agent.token);

  const knows = journal.history(before.run, "O-A-1");
  if (knows === null) throw new Error("It is not there.");
  const orchestrator = conversations.resume(knows, one.options());
  await orchestrator.run(promptLine`[EVENT report] agent-1 is done.`, signal);
  expect(one.standIn.requests()).toHaveLength(2);
  const told = JSON.stringify(one.standIn.requests()[1]?.body);
  for (const message of before.history.slice(0, 2))
    expect(told).toContain(JSON.stringify(message.content[0]));
  journal.close();
});
