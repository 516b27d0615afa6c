import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { requestsOf, worker } from "../../../testing/read-run.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { done, neverDone, patientFiles, threeAgents, write } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;
const fileIn = (one: Fixture, change: string, path: string) =>
  one.repo.terminal(["file", "show", "-r", change, path]);

test("the user takes a task over and returns it: the agent waits, then resumes from the changes", async () => {
  const prompts: string[] = [];
  fixture = await createFixture({
    files: patientFiles,
    script: {
      ...threeAgents,
      routes: {
        ...threeAgents.routes,
        "agent-3": [
          {
            name: "goes on from the user's work",
            prompt: "## Changed by the user by hand",
            steps: [
              (seen) => {
                prompts.push(seen.prompt);
                return write("src/more.txt", "more\n");
              },
              done("Went on from it."),
            ],
          },
          ...neverDone,
        ],
      },
    },
  });
  const one = fixture;
  one.answers = { ...agreeable, "align-request": () => null };
  await one.start();
  await one.until((run) => (worker(run, "agent-3")?.iteration ?? 0) >= 1);
  const { folder } = await one.execute("run.takeOver", { worker: "agent-3" });
  expect(await one.execute("run.takeOver", { worker: "agent-3" })).toEqual({ folder });
  const asked = requestsOf(one, "agent-3").length;
  expect(worker(one.engine.state().run, "agent-3")).toMatchObject({
    held: true,
    byHand: { since: expect.any(Number) },
    activity: "taken over by you",
    status: "in_progress",
    workspace: folder,
  });
  await expect(one.execute("run.resumeWorker", { worker: "agent-3" })).rejects.toMatchObject({
    message: "You have taken over the task of agent-3.",
  });

  await writeFile(join(folder, "src/view.txt"), "shows users by hand\n");
  // The others go on, and a restart changes nothing.
  await one.until((run) => worker(run, "agent-1")?.status === "done");
  await one.reopen();
  await one.until((run) => worker(run, "agent-3")?.activity === "taken over by you");
  const seen = await one.execute("run.previewTakeover", { worker: "agent-3" });
  expect(seen).toMatchObject({ worker: "agent-3", folder, files: ["src/view.txt"] });
  expect(seen.diff).toContain("+shows users by hand");
  expect(requestsOf(one, "agent-3")).toHaveLength(asked);

  await one.execute("run.giveBack", { worker: "agent-3", words: "Keep my words." });
  const run = await one.until((now) => worker(now, "agent-3")?.status === "done");
  expect(prompts[0]).toContain("- src/view.txt");
  expect(prompts[0]).toContain("The user says: Keep my words.");
  expect(prompts[0]).toContain("+shows users by hand");
  const { changeId } = worker(run, "agent-3") ?? {};
  expect(await fileIn(one, changeId ?? "", "src/view.txt")).toBe("shows users by hand");
  expect(await fileIn(one, changeId ?? "", "src/more.txt")).toBe("more");
  expect(worker(run, "agent-3")).toMatchObject({ held: false, byHand: null });
  await expect(one.execute("run.giveBack", { worker: "agent-3", words: "" })).rejects.toThrow(
    /You have not taken over/,
  );
}, 300_000);

test("a task finished by hand goes through the checks: a failure keeps it with the user, passing counts as done", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture({
    files: patientFiles,
    script: { ...threeAgents, routes: { ...threeAgents.routes, "agent-3": neverDone } },
  });
  const one = fixture;
  await one.start();
  await one.until((run) => (worker(run, "agent-3")?.iteration ?? 0) >= 1);
  const { folder } = await one.execute("run.takeOver", { worker: "agent-3" });
  const asked = requestsOf(one, "agent-3").length;
  await writeFile(join(folder, "src/view.txt"), "BROKEN by hand\n");
  const refused = await one.execute("run.finishByHand", { worker: "agent-3", summary: "All done." });
  expect(refused).toMatchObject({ done: false, checks: [{ outcome: "failed" }] });
  expect(worker(one.engine.state().run, "agent-3")).toMatchObject({
    activity: "taken over by you",
    checks: [{ outcome: "failed" }],
  });
  await writeFile(join(folder, "src/view.txt"), "shows users by hand\n");
  await writeFile(join(folder, "src/index.txt"), "the view\n");
  expect(await one.execute("run.finishByHand", { worker: "agent-3", summary: "All done." })).toMatchObject({
    done: true,
  });
  const run = await one.until(over);
  expect(run.stage).toBe("complete");
  expect(requestsOf(one, "agent-3")).toHaveLength(asked);
  expect(await fileIn(one, "main", "src/view.txt")).toBe("shows users by hand");
});

test("a decision, an undo and a deleted folder during a takeover lose nothing, and are reported", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture({ pace: 4 });
  const one = fixture;
  one.answers = { ...agreeable, "align-request": () => null };
  await one.start();
  await one.until((run) => worker(run, "agent-1")?.status === "done");
  await one.until(
    (run) => worker(run, "agent-3")?.status === "done" || worker(run, "agent-3")?.state === "tools",
  );
  const question = await one.card("align-request");
  // The one who asked is taken over as well: its question may still be answered.
  const { folder } = await one.execute("run.takeOver", { worker: "agent-2" });
  await writeFile(join(folder, "src/contract.txt"), "id: userId # the user's\nname: text\n");
  await one.execute("inbox.answer", {
    ...question,
    decision: { kind: "answer", text: "user_id, please" },
  });
  await one.until(() => one.engine.state().messages.some((message) => message.text === "Call it user_id."));
  const notice = one.events.find((event) => event.kind === "notice" && event.text.includes("taken over"));
  expect(notice).toMatchObject({
    text: expect.stringContaining("agent-2"),
    remedy: expect.stringContaining(folder),
  });
  expect(await readFile(join(folder, "src/contract.txt"), "utf8")).toContain("<<<<<<<");
  await expect(one.execute("run.finishByHand", { worker: "agent-2", summary: "" })).rejects.toMatchObject({
    message: expect.stringContaining("src/contract.txt"),
  });
  await writeFile(join(folder, "src/contract.txt"), "id: user_id # the user's\nname: text\n");
  // The decision is not the user's change.
  const { diff } = await one.execute("run.previewTakeover", { worker: "agent-2" });
  expect(diff).not.toContain("-id: userId\n");

  await one.execute("run.undoWorker", { worker: "agent-2", afterwards: "restart" });
  expect(worker(one.engine.state().run, "agent-2")).toMatchObject({
    held: true,
    activity: "taken over by you",
  });
  expect((await one.execute("run.previewTakeover", { worker: "agent-2" })).files).toEqual([]);
  expect(await readFile(join(folder, "src/contract.txt"), "utf8")).toBe("id: user_id\nname: text\n");

  await rm(folder, { recursive: true });
  await expect(one.execute("run.giveBack", { worker: "agent-2", words: "" })).rejects.toThrow(
    /workspace of agent-2 was deleted/,
  );
  await one.execute("run.takeOver", { worker: "agent-2" });
  expect(await readFile(join(folder, "src/contract.txt"), "utf8")).toBe("id: user_id\nname: text\n");
  await one.execute("run.giveBack", { worker: "agent-2", words: "" });
  const run = await one.until(over);
  expect(run.stage).toBe("complete");
});
