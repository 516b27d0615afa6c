import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunView } from "#shared/contract/views/run.ts";
import { callerTools, forkTools } from "#shared/domain/agent-file/tool-names.ts";
import type { StandInRequest } from "../../../../model/stand-in/stand-in.ts";
import { askedAgain } from "../../../testing/asked-again.ts";
import {
  clone,
  fork,
  forkedAndDone,
  forking,
  last,
  requestWith,
  results,
} from "../../../testing/fork-script.ts";
import { createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { exampleFiles } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

/** What was sent, without the marks of how far the provider remembers: they are no part of a prefix. */
interface Sent {
  readonly system: unknown;
  readonly tools: unknown;
  readonly messages: readonly unknown[];
}
const sent = ({ body }: StandInRequest): Sent =>
  JSON.parse(JSON.stringify(body, (key, value) => (key === "cache_control" ? undefined : value)));
const storeOf = (run: RunView): string =>
  run.workers.find(({ name }) => name === "agent-1")?.changeId ?? expect.fail("no agent-1");
const bytes = (value: unknown): string => JSON.stringify(value);

test("clones of one turn work in parallel in their caller's files, with its prefix byte for byte, and answer in one format", async () => {
  fixture = await createFixture({
    script: forking(
      [fork("Write the keeper"), fork("Count the users", "clone")],
      clone(
        "Write the keeper",
        { calls: [{ tool: "write_file", input: { path: "src/store.txt", content: "keeps users\n" } }] },
        last("It stands in src/store.txt."),
      ),
      clone("Count the users", last("There are two.")),
    ),
    files: {
      ...exampleFiles,
      ".hox/config.toml": `${exampleFiles[".hox/config.toml"]}\n[hive]\nclone_sysprompt_followup = "Answer in one line."\nclone_userprompt_prefix = "Your part:"\n`,
    },
  });
  const one = fixture;
  const id = await one.start();
  // The files of results are there for whoever looks on, and go with the run (`hive.cleanup_temp_files`).
  const folder = join(one.repo.folder, "state", "forks", id);
  await one.until(forkedAndDone);
  expect(readdirSync(folder).sort()).toEqual(["agent-1-fork-1.json", "agent-1-fork-2.json"]);
  const run = await one.until(over);
  await expect.poll(() => existsSync(folder), { timeout: 60_000 }).toBe(false);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(one.standIn.unmatched()).toEqual([]);
  const offered = new Set(one.standIn.requests().find(({ seen }) => seen.role === "agent-1")?.seen.tools);
  // The names that `hive.clone_disable_tools` knows are those that an agent has; attachments were given none here.
  expect(offered).toEqual(
    new Set([...forkTools, ...callerTools].filter((name) => name !== "read_attachment")),
  );

  // Both were asked before either had answered its caller, and each with all that the caller knew.
  const requests = one.standIn.requests().filter(({ seen }) => seen.role === "agent-1");
  const caller = requests.find(({ seen }) => seen.turns === 1 && !seen.prompt.includes("[FORK]"));
  const after = requests.find(({ seen }) =>
    seen.results.some(({ output }) => output.startsWith('{"status"')),
  );
  if (!caller || !after) throw new Error("The caller was not asked.");
  for (const words of ["Write the keeper", "Count the users"]) {
    const [before, forked, later] = [sent(caller), sent(requestWith(one, words)), sent(after)];
    expect(bytes(forked.system)).toBe(bytes(before.system));
    expect(bytes(forked.tools)).toBe(bytes(before.tools));
    expect(bytes(forked.messages.slice(0, before.messages.length))).toBe(bytes(before.messages));
    expect(bytes(forked.messages[before.messages.length])).toBe(
      bytes(later.messages[before.messages.length]),
    );
    const own = bytes(forked.messages.slice(before.messages.length + 1));
    expect(own).toMatch(
      /Added to your instructions.*Answer in one line\..*Your task as a clone.*Your part:.*/u,
    );
    expect(bytes(later.messages)).not.toContain("Answer in one line.");
  }
  // What the first wrote is its caller's work.
  expect(await one.repo.terminal(["file", "show", "-r", "main", "src/store.txt"])).toContain("keeps users");

  const answered = results(one);
  expect(answered).toEqual([
    {
      status: "success",
      content: "It stands in src/store.txt.",
      error: null,
      metadata: {
        agent: "clone",
        model: "claude-sonnet-5-5",
        provider: expect.any(String),
        latency_ms: expect.any(Number),
        usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
      },
    },
    expect.objectContaining({ status: "success", content: "There are two." }),
  ]);
  const forks = run.workers.filter(({ role }) => role === "fork");
  expect(forks.map(({ name, parent, status }) => [name, parent, status])).toEqual([
    ["agent-1-fork-1", "agent-1", "done"],
    ["agent-1-fork-2", "agent-1", "done"],
  ]);
  // What they cost counts for their caller.
  const spent = (name: string) => run.workers.find((worker) => worker.name === name);
  const own = spent("agent-1")?.spent.microDollars ?? 0;
  expect(spent("agent-1")?.budget.spent.microDollars).toBe(
    own + forks.reduce((sum, { spent: { microDollars } }) => sum + microDollars, 0),
  );
});

test("a disallowed tool of a clone refuses by name, with the limit and where it is set, and says who writes a file", {
  tags: ["long"],
}, async () => {
  const refusals = (requests: readonly StandInRequest[], words: string) =>
    requests
      .filter(({ seen }) => seen.prompt.includes(words))
      .flatMap(({ seen }) => seen.results)
      .filter(({ isError }) => isError)
      .map(({ tool, output }) => [tool, output] as const);
  fixture = await createFixture({
    workflow: "auto",
    script: forking(
      [
        fork("Write it first"),
        fork("Write it second"),
        fork("Look it up", "libraryan"),
        fork("Try everything"),
      ],
      clone(
        "Write it first",
        { calls: [{ tool: "write_file", input: { path: "src/store.txt", content: "keeps users\n" } }] },
        last("Mine."),
      ),
      clone(
        "Write it second",
        { calls: [{ tool: "write_file", input: { path: "./src//store.txt", content: "me too\n" } }] },
        { calls: [{ tool: "run_command", input: { command: "echo over > src/store.txt; true" } }] },
        last("Not mine."),
      ),
      clone(
        "Try everything",
        {
          calls: [
            fork("Deeper"),
            { tool: "search", input: { pattern: "users" } },
            { tool: "align_request", input: { question: "May I?", options: [], blocking: true } },
            { tool: "note", input: { text: "I am here." } },
          ],
        },
        { calls: [{ tool: "report_done", input: { summary: "Tried." } }] },
      ),
    ),
    files: {
      ...exampleFiles,
      ".hox/config.toml": `${exampleFiles[".hox/config.toml"]}\n[hive]\nclone_disable_tools = ["search"]\n`,
    },
  });
  const one = fixture;
  const after =
    (words: string, tool: string) =>
    ({ prompt, results: had }: StandInRequest["seen"]): boolean =>
      prompt.includes(words) && had.some((result) => result.tool === tool);
  const asked = (when: ReturnType<typeof after>) =>
    expect.poll(() => one.standIn.requests().some(({ seen }) => when(seen))).toBe(true);
  // The second one writes when the first has written and is not done yet.
  const finishFirst = one.standIn.hold(after("Write it first", "write_file"));
  const beginSecond = one.standIn.hold(({ prompt }) => prompt.includes("Write it second"));
  await one.start();
  await asked(after("Write it first", "write_file"));
  beginSecond();
  await asked(after("Write it second", "run_command"));
  finishFirst();
  const run = await one.until(forkedAndDone);
  expect(one.standIn.unmatched()).toEqual([]);
  const requests = one.standIn.requests();

  const tried = Object.fromEntries(refusals(requests, "Try everything"));
  expect(JSON.parse(tried.fork_subagent ?? "{}")).toMatchObject({
    status: "error",
    content: "",
    error: expect.stringContaining("hive.max_clone_fork_depth"),
    metadata: { agent: "clone", latency_ms: 0, usage: { input_tokens: 0, output_tokens: 0 } },
  });
  expect(tried.search).toBe("search is disabled for clones (hive.clone_disable_tools).");
  expect(tried.align_request).toContain("align_request is not for a fork");
  expect(tried.note).toContain("note is not for a fork");

  const second = refusals(requests, "Write it second");
  expect(second.find(([tool]) => tool === "write_file")?.[1]).toMatch(
    /src\/store\.txt is being written by agent-1-fork-1, .*Write it first/u,
  );
  // What its command changed of that file was put back.
  expect(await one.repo.terminal(["file", "show", "-r", storeOf(run), "src/store.txt"])).toBe("keeps users");

  expect(results(one).map(({ status, content, error }) => [status, content, error])).toEqual([
    ["success", "Mine.", null],
    ["success", "Not mine.", null],
    [
      "error",
      "",
      expect.stringMatching(/There is no agent "libraryan"\..*clone \(or ""\).*hive\.agents_dir/u),
    ],
    ["success", "Tried.", null],
  ]);
  // A question of a fork's went nowhere, and an unknown name began nothing.
  expect(run.workers.filter(({ role }) => role === "fork")).toHaveLength(3);
});

test("a pause stops forks with their caller; then each resumes where it was, without repeated or double-paid requests", {
  tags: ["long"],
}, async () => {
  fixture = await createFixture({
    workflow: "auto",
    pace: 20,
    script: forking(
      [fork("Take your time"), fork("Be quick")],
      clone(
        "Take your time",
        ...Array.from({ length: 4 }, (_, nth) => ({
          say: `Step ${nth} of a long way that a pause comes into, with many words to say it in.`,
          calls: [{ tool: "list_files", input: { path: nth % 2 === 0 ? "." : "src" } }],
        })),
        { calls: [{ tool: "write_file", input: { path: "src/store.txt", content: "keeps users\n" } }] },
        last("There at last."),
      ),
      clone("Be quick", last("Done already.")),
    ),
  });
  const one = fixture;
  await one.start();
  await one.until(
    (run) =>
      run.workers.some(({ name, status }) => name === "agent-1-fork-2" && status === "done") &&
      run.workers.some(({ name, toolCalls }) => name === "agent-1-fork-1" && toolCalls > 0),
    60_000,
  );
  await one.execute("run.pauseWorker", { worker: "agent-1" });
  await one.until((run) => run.workers.find(({ name }) => name === "agent-1")?.state === "paused");
  expect(one.engine.state().run?.workers.find(({ name }) => name === "agent-1-fork-1")?.status).toBe(
    "in_progress",
  );
  // The app is closed in between: the second life knows what the first one had done.
  await one.reopen();
  await one.execute("run.resumeWorker", { worker: "agent-1" });
  const run = await one.until(forkedAndDone);
  expect(one.standIn.unmatched()).toEqual([]);
  expect(askedAgain(one.standIn.requests(), one.closings, 3)).toEqual([]);
  expect(results(one).map(({ content }) => content)).toEqual(["There at last.", "Done already."]);
  expect(run.workers.filter(({ role }) => role === "fork")).toHaveLength(2);
  expect(await one.repo.terminal(["file", "show", "-r", storeOf(run), "src/store.txt"])).toBe("keeps users");
});

test("a fork spends its caller's budget: when it is spent, both wait for the user and then resume", {
  tags: ["long"],
}, async () => {
  fixture = await createFixture({
    workflow: "auto",
    pace: 20,
    script: forking(
      [fork("Spend it")],
      clone(
        "Spend it",
        ...Array.from({ length: 4 }, (_, nth) => ({
          say: `Step ${nth} of several, said in as many words as it takes to be overtaken by a limit.`,
          calls: [{ tool: "list_files", input: { path: nth % 2 === 0 ? "." : "src" } }],
        })),
        last("Spent."),
      ),
    ),
  });
  const one = fixture;
  const cards: string[] = [];
  const statusOfFork = () =>
    one.engine.state().run?.workers.find(({ name }) => name === "agent-1-fork-1")?.status;
  one.answers = {
    ...one.answers,
    budget: (item) => {
      cards.push(`${item.kind === "budget" ? item.worker : ""} while its fork is ${statusOfFork()}`);
      return { kind: "extend", tokens: 2_000_000, microDollars: null };
    },
  };
  await one.start();
  await one.until(
    (run) => run.workers.some(({ name, toolCalls }) => name === "agent-1-fork-1" && toolCalls > 0),
    60_000,
  );
  await one.execute("run.setWorkerLimits", { worker: "agent-1", tokens: 1 });
  await one.until(forkedAndDone);
  expect(cards).toEqual(["agent-1 while its fork is in_progress"]);
  expect(results(one)).toMatchObject([{ status: "success", content: "Spent." }]);
  expect(askedAgain(one.standIn.requests(), one.closings)).toEqual([]);
});

test("undoing a task undoes its agent's forks", { tags: ["long"] }, async () => {
  fixture = await createFixture({
    workflow: "auto",
    pace: 20,
    script: forking(
      [fork("Work for long")],
      clone(
        "Work for long",
        { calls: [{ tool: "run_command", input: { command: "sleep 6" } }] },
        last("Too late."),
      ),
    ),
  });
  const one = fixture;
  await one.start();
  await one.until(
    (run) => run.workers.some(({ name, state }) => name === "agent-1-fork-1" && state === "tools"),
    60_000,
  );
  await one.execute("run.pauseWorker", { worker: "agent-1" });
  await one.execute("run.reassignWorker", {
    worker: "agent-1",
    model: null,
    brief: "Somebody else.",
  });
  const run = await one.until(
    ({ workers }) => workers.some(({ name, status }) => name === "agent-1-fork-1" && status === "abandoned"),
    60_000,
  );
  const left = run.workers.find(({ name }) => name === "agent-1-fork-1");
  expect(left?.fork).toMatchObject({ isCancelled: true, result: null });
  await one.execute("run.stop");
});
