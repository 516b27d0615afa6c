import { expect, test } from "vitest";
import { eventually } from "../../testing/kit.ts";
import { createFixture, type Fixture } from "../testing/run-fixture.ts";
import { calmAgents } from "../testing/three-agents-script.ts";

let fixture: Fixture | undefined;

test("divergence between the user and Hox is repaired soon, also in a finished run and after a start; the user's own is left alone", async () => {
  fixture = await createFixture({ script: calmAgents });
  const one = fixture;
  const { repository, terminal } = one.repo;
  const make = async (description: string, parent = "@-") =>
    (await repository.newChange({ parents: [parent], description })).changeId;
  const task = await make("task\n\nHox-Kind: task\nHox-Run: one-that-is-over\n");
  const above = await make("work of a user on top\n", task);
  const theirs = await make("theirs\n");
  await terminal(["describe", "--quiet", "-m", "anna's", theirs]);
  await terminal(["describe", "--quiet", "--at-op=@-", "-m", "ben's", theirs]);

  const cross = async (words: string, status: "done" | "open") => {
    await repository.setMetadata([{ change: task, patch: { status } }]);
    await terminal(["describe", "--quiet", "--at-op=@-", "-m", words, above]);
    await repository.query("none()");
  };
  const mended = (words: string) =>
    eventually(async () => {
      const found = await repository.query("divergent()");
      expect(found.map(({ changeId }) => changeId)).toEqual([theirs, theirs]);
      expect((await repository.query(above))[0]?.description).toBe(`${words}\n`);
    });
  await cross("told anew", "done");
  await mended("told anew");
  await one.reopen(() => cross("told again", "open"));
  await mended("told again");
  expect((await repository.query(task))[0]?.metadata.status).toBe("open");
  expect(one.events.filter(({ kind }) => kind === "notice")).toEqual([]);
}, 400_000);
