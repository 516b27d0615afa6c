/** Runs of every shape, exported on one machine and done again on another. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { branchingAgents } from "../../engine/testing/branching-script.ts";
import { crashScenarios } from "../../engine/testing/crash-scenarios.ts";
import { naming, namingFiles } from "../../engine/testing/naming-script.ts";
import {
  type Answers,
  agreeable,
  createFixture,
  type Fixture,
  over,
} from "../../engine/testing/run-fixture.ts";
import { threeAgents } from "../../engine/testing/three-agents-script.ts";
import { twoLevelFiles, twoLevels } from "../../engine/testing/two-levels-script.ts";
import { openRepository } from "../../jj/open.ts";
import { type Journal, openJournal } from "../../journal/journal.ts";
import { exportRecording } from "../export-recording.ts";
import { openRecording } from "../open-recording.ts";
import { readRecordingFile } from "../recording-file.ts";
import { runAgain } from "./run-again.ts";

let fixture: Fixture | null = null;
afterEach(async () => {
  await fixture?.remove();
  fixture = null;
});

type Options = NonNullable<Parameters<typeof createFixture>[0]>;
interface Recorded {
  readonly options: Options;
  readonly answers?: Answers;
  readonly start?: Parameters<Fixture["start"]>[0];
  /** Before the run begins. */
  readonly prepare?: (journal: Journal) => void;
}

const { "O-A-1": orchestrator = [], integrator = [], ...others } = threeAgents.routes;
/** A decision that meets work which contradicts it, under the name that a run has which begins beside another. */
const secondRoot: Recorded = {
  options: {
    script: {
      ...threeAgents,
      routes: { ...others, "O-A-2": orchestrator, "integrator-a-2": integrator },
    },
    workflow: "one-judge",
  },
  prepare: (journal) =>
    journal.addRun("before", {
      goal: "Write an index",
      orchestrators: null,
      maxTokens: null,
      maxMicroDollars: null,
      onto: null,
      rehearsal: null,
      model: "claude-sonnet-5-5",
    }),
};
const { "forks-and-archangels": forks, "repaired-verdict": verdict } = crashScenarios;
const rehearsed = (rehearsal: string, answer: string): Recorded => ({
  options: { rehearsal },
  answers: {
    ...agreeable,
    "align-request": () => ({ kind: "answer", text: answer }),
    suggestion: () => ({ kind: "task" }),
  },
  start: { rehearsal },
});

const recorded: Readonly<Record<string, Recorded>> = {
  "a second root, a decision and who contradicts it": secondRoot,
  "work that a decision cuts off": {
    options: { script: naming, files: namingFiles, workflow: "one-judge" },
  },
  "a clone, two attempts and a reviewer": {
    options: { script: branchingAgents, files: forks.files },
    answers: forks.answers,
  },
  "a verdict that is repaired": {
    options: { script: verdict.script, files: verdict.files },
    answers: verdict.answers,
  },
  "parts with orchestrators of their own": {
    options: { script: twoLevels, files: twoLevelFiles, workflow: "one-judge" },
  },
  "the rehearsal profiles": rehearsed("profiles", "user_id"),
  "the rehearsal receipts": rehearsed("receipts", "2.80 EUR"),
  "the rehearsal tides": rehearsed("tides", "4.5 m, please"),
};

it.each(Object.entries(recorded))(
  "goes again from its file: %s",
  {
    tags: ["long"],
    timeout: 900_000,
  },
  async (_, { options, answers, start, prepare }) => {
    const journals: Journal[] = [];
    fixture = await createFixture({
      ...options,
      openJournal(path, now) {
        const opened = openJournal(path, now);
        journals.push(opened);
        return opened;
      },
    });
    for (const journal of journals) prepare?.(journal);
    if (answers) fixture.answers = answers;
    await fixture.start(start);
    expect(await fixture.until(over, 600_000)).toMatchObject({ stage: "complete" });
    await fixture.engine.close();
    const { folder } = fixture.repo;
    const stateFolder = join(folder, "state");
    const repository = await openRepository(fixture.root);
    const about = { repository, stateFolder, secrets: [], writtenBy: "1" };
    const { file } = await exportRecording(openRecording(stateFolder, "last"), about);
    const report = await runAgain({
      recording: readRecordingFile(file),
      // A rehearsal brings its repository along.
      source: options.rehearsal === undefined ? repository : null,
      folder: join(folder, "again"),
      hosts: [],
      newId: randomUUID,
    });
    await repository.close();
    expect(report).toMatchObject({ stage: "complete", stopped: null, differences: [] });
  },
);
