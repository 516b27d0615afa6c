/** What was attached to a goal goes along with the recording of its run, and is shown again on another repository. */
import { randomUUID } from "node:crypto";
import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { createFixture, type Fixture, over } from "../engine/testing/run-fixture.ts";
import { done, write } from "../engine/testing/three-agents-script.ts";
import { openRepository } from "../jj/open.ts";
import { defineScript, type ScriptedStep } from "../model/stand-in/script.ts";
import { runAgain } from "./again/run-again.ts";
import { exportRecording } from "./export-recording.ts";
import { openRecording } from "./open-recording.ts";
import type { Recording } from "./recording.ts";
import { readRecordingFile } from "./recording-file.ts";

let fixture: Fixture | undefined;
afterEach(async () => {
  await fixture?.remove();
  fixture = undefined;
});

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const cut = Buffer.from(pixel, "base64").subarray(0, 30).toString("base64");
const outside = "../../../outside.png";
const look = (name: string): ScriptedStep => ({ calls: [{ tool: "read_attachment", input: { name } }] });
const script = defineScript({
  name: "attached",
  routes: {
    "agent-1": [
      {
        name: "works",
        steps: [look("sketch.png"), look(outside), write("src/a.txt", "a\n"), done("Done.")],
      },
    ],
  },
});

async function again(one: Fixture, recording: Recording, name: string) {
  const { folder } = one.repo;
  // As somebody else has it: a clone of the same repository.
  await cp(one.root, join(folder, name, "clone"), { recursive: true });
  const source = await openRepository(join(folder, name, "clone"));
  try {
    const place = join(folder, name, "again");
    const report = await runAgain({ recording, source, folder: place, hosts: [], newId: randomUUID });
    return { report, told: openRecording(join(place, "state"), "last") };
  } finally {
    await source.close();
  }
}

it("takes pictures along as they are shown, says what it leaves out, and shows them in the run that is done again", {
  tags: ["long"],
}, async () => {
  fixture = await createFixture({ workflow: "auto", script });
  const one = fixture;
  await one.start({
    ...{ goal: "Write a", quick: true },
    attachments: [
      { name: "sketch.png", data: pixel },
      { name: outside, data: pixel },
      { name: "cut.png", data: cut },
    ],
  });
  expect(await one.until(over)).toMatchObject({ stage: "complete" });
  await one.engine.close();
  const stateFolder = join(one.repo.folder, "state");
  const repository = await openRepository(one.root);
  const about = { repository, stateFolder, secrets: [], writtenBy: "1" };
  const exported = await exportRecording(openRecording(stateFolder, "last"), about);
  await repository.close();
  expect(exported).toMatchObject({ pictures: ["sketch.png", outside], leftOut: ["cut.png"] });

  const before = await readdir(one.repo.folder);
  const { report, told } = await again(one, readRecordingFile(exported.file), "elsewhere");
  expect(report).toMatchObject({ stage: "complete", stopped: null, differences: [] });
  expect(report.missing).toEqual(["cut.png, which was attached to the goal, is not in this recording."]);
  expect(told.attachments).toEqual([
    { name: "sketch.png", data: pixel },
    { name: outside, data: pixel },
  ]);
  // A name is a name: nothing of it is written anywhere.
  expect(await readdir(one.repo.folder)).toEqual([...before, "elsewhere"].toSorted());
  expect(await readdir(join(one.repo.folder, "elsewhere"))).toEqual(["again", "clone"]);
});
