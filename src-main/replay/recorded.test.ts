/** A run of the stand-in's, as its journal tells it afterwards: here, and where nothing of it is. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ReplayFrame } from "#shared/contract/commands/replay.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { stageOf } from "#shared/domain/run/stage-state.ts";
import { type RunSnapshot, type RunUpdate, withUpdate } from "#shared/run/live.ts";
import { replayRun } from "#shared/run/reduce.ts";
import { newRun } from "#shared/run/state.ts";
import { runTimeline, runView } from "#shared/run/view.ts";
import { createReplays } from "../api/replays.ts";
import { type Fixture, openFixture, over } from "../engine/testing/run-fixture.ts";
import { calmAgents, done, exampleFiles, write } from "../engine/testing/three-agents-script.ts";
import { openJournal } from "../journal/journal.ts";
import { exportRecording } from "./export-recording.ts";
import { openRecording, withJournalOrNone } from "./open-recording-file.ts";
import { readRunReport } from "./read-run-report.ts";
import type { Recording } from "./recording.ts";
import { readRecordingFile } from "./recording-file.ts";
import { createReplay, pastStates } from "./replay.ts";
import { createRunLists, operationsOfTime } from "./run-list.ts";

const planted = "sk-ant-api03-planted-planted-planted";
let fixture: Fixture;
let run: string;
let last: RunView;
let recording: Recording;
let file: Buffer;
const stateFolder = () => join(fixture.repo.folder, "state");

beforeAll(async () => {
  fixture = await openFixture({
    files: exampleFiles,
    script: {
      ...calmAgents,
      routes: {
        ...calmAgents.routes,
        "agent-2": [
          {
            name: "prints what a machine prints",
            steps: [
              {
                calls: [
                  {
                    tool: "run_command",
                    input: { command: `pwd; echo "key: ${planted}"; echo ${homedir()}` },
                  },
                ],
              },
              write("src/api.txt", "GET /users/:userId\n"),
              done("The API speaks of userId."),
            ],
          },
        ],
      },
    },
  });
  run = await fixture.start();
  last = await fixture.until(over);
  await fixture.engine.close();
  recording = openRecording(stateFolder(), "last");
  file = await exportRecording(recording, {
    repository: fixture.repo.repository,
    stateFolder: stateFolder(),
    secrets: [],
    writtenBy: "1.2.3",
  });
});
afterAll(() => fixture.remove());

it("sends windows what happens as it happens, and they come to what a replay shows at its end", () => {
  const replay = createReplay(recording);
  const followed = fixture.stream.reduce<RunSnapshot | null>((known, event) => {
    // As it crosses the wire.
    const { kind, ...sent } = JSON.parse(JSON.stringify(event)) as typeof event;
    if (kind === "run") return (sent as { run: RunSnapshot }).run;
    return known && withUpdate(known, (sent as { update: RunUpdate }).update);
  }, null);
  if (!followed) throw new Error("Nothing was sent.");
  // What is journalled while the host closes is sent to nobody.
  expect(followed.count).toBeGreaterThan(recording.moments.length - 10);
  expect(followed.state).toEqual(pastStates(recording)(followed.count));
  const { timeline } = replay.viewsAt(replay.to);
  const shown = runTimeline(followed);
  expect(shown.tracks).toEqual(timeline.tracks);
  expect(shown.decisions).toEqual(timeline.decisions);
  const kinds = new Set(timeline.tracks.flatMap(({ marks }) => marks.map((mark) => mark.kind)));
  expect([...kinds]).toEqual(
    expect.arrayContaining([
      ...["began", "contracts", "iteration", "offered", "merged", "integrated", "judged"],
      ...["landed", "ended"],
    ]),
  );
  // An earlier moment is the beginning of the whole.
  const half = replay.viewsAt((replay.from + replay.to) / 2).timeline;
  for (const track of half.tracks) {
    const whole = timeline.tracks.find(({ id }) => id === track.id);
    expect(whole?.marks.slice(0, track.marks.length)).toEqual(track.marks);
  }
  // The run is sent whole once.
  expect(fixture.stream.filter(({ kind }) => kind === "run")).toHaveLength(1);
});

const positionOf = (view: Pick<RunView, "stage" | "workers">): string =>
  JSON.stringify([view.stage, view.workers.map(({ name, status, iteration }) => [name, status, iteration])]);

it("reaches every state that was on screen, and the same end", async () => {
  expect(last.stage).toBe("complete");
  const journal = openJournal(join(stateFolder(), "journal.sqlite"), Date.now);
  const facts = replayRun(newRun(run, recording.startedAt, recording.input.root), journal.events(run));
  journal.close();
  const past = pastStates(recording);
  expect(past(recording.moments.length)).toEqual(facts);

  const states = new Set(
    Array.from({ length: recording.moments.length + 1 }, (_, count) =>
      positionOf({
        stage: stageOf(past(count).stages, "O-A-1").current.stage,
        workers: Object.values(past(count).workers) as unknown as RunView["workers"],
      }),
    ),
  );
  const shown = fixture.events.flatMap((event) =>
    event.kind === "run" && event.run ? [positionOf(event.run)] : [],
  );
  expect(new Set(shown).size).toBeGreaterThan(8);
  for (const one of shown) expect(states).toContain(one);

  const replay = createReplay(recording);
  const { changes } = await fixture.repo.repository.readGraph({ revset: "all()" });
  const { run: end } = replay.viewsAt(replay.to, changes);
  // What only the machine knew while it went on is not of the run.
  const ofMachine = {
    metrics: [],
    trust: null,
    archangels: [],
    sessions: [],
    maxParallelAgents: 0,
    workers: [],
  };
  const withoutHistory = (view: RunView) => ({
    ...view,
    ...ofMachine,
    budget: { ...view.budget, history: view.budget.history.map(([, tokens]) => tokens) },
  });
  expect(withoutHistory(end)).toEqual(withoutHistory(last));
  const { workers } = last;
  const lasting = ({
    diskBytes: _,
    contextTokens: __,
    contextWindow: ___,
    ...worker
  }: RunView["workers"][number]) => worker;
  expect(end.workers.map(lasting)).toEqual(workers.map(lasting));
});

it("is one file without data of the machine", () => {
  const text = gunzipSync(file).toString("utf8");
  const before = JSON.stringify(recording);
  for (const found of [fixture.root, stateFolder(), homedir(), planted]) {
    expect(before, "it was there to be hidden").toContain(found);
    expect(text).not.toContain(found);
  }
  expect(text).not.toContain("test@example.org");
  expect(text).not.toMatch(/"nonce":"[^"]/u);
});

it("shows the same without its repository", async () => {
  const replays = createReplays();
  const here = await replays.open(
    { repository: fixture.repo.repository, stateFolder: stateFolder(), secrets: [], version: "1" },
    run,
  );
  const there = await replays.openFile("run.hoxrun", file);
  expect({ ...there, moments: there.moments.length }).toMatchObject({
    run,
    file: "run.hoxrun",
    moments: here.moments.length,
    density: here.density,
    from: here.from,
    to: here.to,
  });
  const past = pastStates(recording);
  const shownAt = (frame: ReplayFrame) => runView({ ...frame, id: run, state: past(frame.count) });
  let shown = 0;
  for (const { at } of here.moments) {
    const [own, foreign] = [await replays.frame(here.id, at), await replays.frame(there.id, at)];
    expect(positionOf(shownAt(foreign))).toBe(positionOf(shownAt(own)));
    if (own.operation === null || foreign.operation === null) continue;
    const ids = async (id: string, operation: string) =>
      (await replays.graph(id, operation)).changes.map(({ commitId }) => commitId);
    expect(await ids(there.id, foreign.operation)).toEqual(await ids(here.id, own.operation));
    shown += 1;
  }
  expect(shown).toBeGreaterThan(10);
  const { operation } = await replays.frame(there.id, there.to);
  const { changes } = await replays.graph(there.id, operation ?? "");
  expect(changes.map(({ description }) => description.split("\n")[0])).toEqual(
    expect.arrayContaining(["Write the store", "Write the api", "Write the view"]),
  );
  expect(replays.conversation(there.id, "agent-1").length).toBe(
    replays.conversation(here.id, "agent-1").length,
  );
  replays.close(there.id);
  expect(() => replays.conversation(there.id, "agent-1")).toThrow("This replay is no longer open.");
});

it("lists changes and files between two moments, and nothing for the same moment", async () => {
  const replays = createReplays();
  const { repository } = fixture.repo;
  const { id, from, to } = await replays.open(
    { repository, stateFolder: stateFolder(), secrets: [], version: "1" },
    run,
  );
  const { workers, changes, files } = await replays.compare(id, to, from);
  expect(workers.map(({ name, before, after }) => [name, before, after])).toEqual(
    expect.arrayContaining([["agent-2", null, "done"]]),
  );
  const api = changes.find(({ title }) => title === "Write the api");
  expect(api).toMatchObject({ how: "new", from: null });
  expect(files?.find(({ path }) => path === "src/api.txt")?.titles).toContain("Write the api");
  expect(await replays.compare(id, to, to)).toEqual({ from: to, to, changes: [], workers: [], files: [] });

  const there = await replays.openFile("run.hoxrun", file);
  expect((await replays.compare(there.id, there.from, there.to)).files, "a file holds none").toBeNull();
});

it("lists its own operations with their authors, and names the commits that jj names by ids", async () => {
  const { from, to } = createReplay(recording);
  const { operations, titles } = await operationsOfTime(fixture.repo.repository, from, to);
  expect(operations.length).toBeGreaterThan(10);
  expect(operations.every(({ time }) => time >= from && time <= to)).toBe(true);
  expect(operations.map(({ time }) => time)).toEqual(
    operations.map(({ time }) => time).toSorted((one, other) => one - other),
  );
  expect(new Set(operations.map(({ actor }) => actor))).toContain("agent-2");
  const ids = operations.flatMap(({ description }) => description.match(/\b[0-9a-f]{40}\b/gu) ?? []);
  expect(ids.length).toBeGreaterThan(0);
  expect(ids.filter((one) => titles[one] === undefined)).toEqual([]);
  expect(await operationsOfTime(fixture.repo.repository, to + 1e9, null)).toEqual({
    operations: [],
    titles: {},
  });
});

it("is found by its id, a prefix of it, or as the last one, and by nothing else", async () => {
  expect(openRecording(stateFolder(), run).run).toBe(run);
  expect(openRecording(stateFolder(), run.slice(0, 6)).run).toBe(run);
  expect(() => openRecording(stateFolder(), "zzz")).toThrow('No run "zzz" in this repository.');
  const empty = join(fixture.repo.folder, "empty");
  await mkdir(empty);
  expect(() => openRecording(empty, "last")).toThrow("No runs in this repository yet.");
  await writeFile(join(empty, "journal.sqlite"), "");
  expect(() => openRecording(empty, "last")).toThrow("it has format 0");
  await rm(empty, { recursive: true });
});

it("opens again as it was exported", () => {
  const read = readRecordingFile(file);
  expect(read.moments.map(({ at, event }) => [at, event.kind])).toEqual(
    recording.moments.map(({ at, event }) => [at, event.kind]),
  );
  expect(read.graphs.graphs.length).toBeGreaterThan(5);
});

it("has a report: what landed, who did what, what it cost, and nothing that the run does not contain", async () => {
  const { report, markdown } = await readRunReport(fixture.repo.repository, stateFolder(), run);
  expect(report).toMatchObject({
    id: run,
    stage: "complete",
    landed: { bookmark: "main", undoneAt: null },
    microDollars: last.microDollars,
    result: { of: "landed", note: null },
    votes: { verdict: "approved" },
  });
  expect(report.result.files).toContainEqual({ path: "src/api.txt", added: 1, removed: expect.any(Number) });
  expect(report.workers.map(({ name }) => name)).toEqual(last.workers.map(({ name }) => name));
  expect(report.left.filter(({ kind }) => kind === "task" || kind === "landing")).toEqual([]);
  expect(markdown).toContain("Landed on `main`");
  expect(markdown).toContain("`src/api.txt`");
  expect(markdown).toContain("## Votes");
});

it("is in the list of runs with its result", () => {
  const list = createRunLists();
  const read = () => withJournalOrNone(stateFolder(), (journal) => list("one", journal, 10)) ?? [];
  const [entry] = read();
  expect(entry).toMatchObject({
    id: run,
    endedBy: "goal",
    landed: { bookmark: "main", isTakenBack: false },
    microDollars: last.microDollars,
    waiting: 0,
    score: last.score?.total,
  });
  expect(entry?.agents).toEqual(["agent-1", "agent-2", "agent-3"]);
  expect(entry?.tasksDone).toBe(3);
  // What is over is read once.
  expect(read()[0]).toBe(entry);
});
