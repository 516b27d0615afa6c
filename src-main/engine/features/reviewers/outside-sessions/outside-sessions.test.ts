import { mkdir, realpath, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openJournal } from "../../../../journal/journal.ts";
import { saveReported } from "../../../../sessions/find-sessions.ts";
import { readNotification } from "../../../../sessions/notification.ts";
import { emptyClaudeHome } from "../../../testing/claude-home.ts";
import { createFixture, type Fixture } from "../../../testing/run-fixture.ts";

let fixture: Fixture | null = null;
const home = emptyClaudeHome();

/** A user's Claude Code in the folder of the repository. */
async function claudeSays(root: string, asked: number, answered: number | null) {
  const line = (type: string, message: object, at: number) =>
    JSON.stringify({
      type,
      message,
      cwd: root,
      sessionId: "c1a0de01-1",
      uuid: `u-${at}`,
      timestamp: new Date(at).toISOString(),
    });
  const folder = join(home(), "projects", root.replaceAll(/[^A-Za-z0-9]/gu, "-"));
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, "c1a0de01-1.jsonl"),
    [
      line("user", { content: "Rename the view" }, asked),
      ...(answered === null
        ? []
        : [
            line(
              "assistant",
              { content: [{ type: "text", text: "Renamed." }], stop_reason: "end_turn" },
              answered,
            ),
          ]),
    ].join("\n"),
  );
}

/** What the journal holds of it. */
function heardBy(one: Fixture, run: string) {
  const journal = openJournal(join(one.repo.folder, "state", "journal.sqlite"), Date.now);
  try {
    return journal
      .events(run)
      .map(({ event }) => event)
      .filter(({ kind }) => kind === "OutsideTurnEnded");
  } finally {
    journal.close();
  }
}

const turnsIn = (one: Fixture) => one.engine.state().run?.sessions ?? [];

test("a turn of the user's own agent is recorded once, with its changed files, with and without hooks, also after a restart", {
  tags: ["long"],
}, async () => {
  fixture = await createFixture();
  const one = fixture;
  const root = await realpath(one.root);
  // It waits for a word to its plan meanwhile.
  one.answers = {};
  await one.start();
  const { startedAt } = await one.until((run) => run.plan !== null);

  const asked = Date.now();
  await claudeSays(root, asked, null);
  await one.until((run) => run.sessions[0]?.isWorking === true);
  expect(turnsIn(one)).toMatchObject([{ name: "claude-c1a0de01", goal: "Rename the view", files: [] }]);

  await writeFile(join(root, "notes.txt"), "by the session\n");
  // One that nobody has touched since.
  await utimes(join(root, "readme.md"), startedAt / 1_000 - 60, startedAt / 1_000 - 60);
  await claudeSays(root, asked, Date.now());
  const view = await one.until((run) => (run.sessions[0]?.files.length ?? 0) > 0);
  expect(view.sessions).toMatchObject([{ isWorking: false, files: ["notes.txt"], kind: "claude" }]);

  // Its hook tells of the same turn, and another program of its own.
  const notify = (payload: object) => {
    const session = readNotification(JSON.stringify(payload), Date.now(), root);
    if (session === null) throw new Error("nothing told");
    return saveReported(join(one.repo.folder, "state"), session);
  };
  await notify({ hook_event_name: "Stop", session_id: "c1a0de01-1", cwd: root });
  await notify({
    type: "agent-turn-complete",
    "thread-id": "c0dec0de",
    "turn-id": "1",
    cwd: root,
    "input-messages": ["Look"],
  });
  await one.until((run) => run.sessions.length === 2);
  await one.reopen();
  await one.until(
    (run) => run.sessions.length === 2 && run.sessions.every(({ files }) => files.length > 0),
    20_000,
  );
  const turns = heardBy(one, view.id);
  expect(turns).toMatchObject([
    { session: "claude/c1a0de01-1", turn: `asked-${asked}`, files: ["notes.txt"], workspaceOf: null },
    { session: "codex/c0dec0de", turn: "1" },
  ]);
  // The folder of a user is recorded by nobody who was not asked to.
  expect(
    await one.repo.terminal(["log", "--no-graph", "--ignore-working-copy", "-r", "@", "-T", "empty"]),
  ).toBe("true");
  await one.execute("run.stop");
});
