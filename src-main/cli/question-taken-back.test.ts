import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ItemOf } from "#shared/contract/cards.ts";
import type { HostState } from "../api/host-state.ts";
import { trustRepositoryConfig } from "../config/write-settings.ts";
import { judgedFiles, judgedScript, seat } from "../engine/testing/verdict-script.ts";
import { createHostState } from "../host.ts";
import { createTestRepository, type TestRepository } from "../jj/testing/create-test-repository.ts";
import { type StandIn, startStandIn } from "../model/stand-in/stand-in.ts";
import { eventually, tempDir } from "../testing/kit.ts";
import { type ExitCode, exitCode } from "./command-line.ts";
import { followRun } from "./run/run.ts";

let folder: string;
let repository: TestRepository;
let standIn: StandIn;
let host: HostState;
let typed: PassThrough;
let output: string;
let ended: Promise<ExitCode | null>;

/** `hox run` with somebody at its terminal, up to the question about a verdict. */
beforeEach(async () => {
  folder = tempDir();
  repository = await createTestRepository({
    files: judgedFiles(["validator_count = 1", "repair_rounds = 0"], "[workflow]", 'learning = "off"'),
  });
  await repository.terminal(["bookmark", "set", "main", "-r", "@-"]);
  await trustRepositoryConfig(join(folder, "state"), repository.repository.root);
  standIn = await startStandIn({
    script: judgedScript({
      "validator-1": seat((attempt, { prompt }) =>
        attempt > 1 || prompt.includes("by hand") ? "approve" : "reject",
      ),
    }),
  });
  vi.stubEnv("ANTHROPIC_API_KEY", standIn.apiKey);
  vi.stubEnv("ANTHROPIC_BASE_URL", standIn.url);
  typed = Object.assign(new PassThrough(), { isTTY: true });
  vi.spyOn(process, "stdin", "get").mockReturnValue(typed as unknown as typeof process.stdin);
  output = "";
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, "write").mockImplementation((text) => {
      output += String(text);
      return true;
    });
  host = await createHostState({
    ...{ shell: "browser" as const, version: "0", rehearsalPace: 0, stateFolder: join(folder, "state") },
  });
  await host.open(repository.repository.root);
  const { run } = await host.engine().execute("run.start", {
    ...{ goal: "Keep users", rehearsal: null, model: null, orchestrators: null, onto: null },
  });
  ended = followRun(
    host,
    [run],
    { approve: ["preflight", "plan", "questions", "mutations", "merge_requests", "patterns", "land"] },
    new AbortController().signal,
  );
  await waitForOutput("How do you want to continue?");
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await host.close();
  await standIn.close();
  await repository.remove();
});

const waitForOutput = (words: string) => eventually(() => expect(output).toContain(words));
const card = (): ItemOf<"votes"> => {
  const found = host
    .engine()
    .state()
    .inbox.find((item) => item.kind === "votes");
  if (!found) throw new Error("Nobody is asked about a verdict.");
  return found;
};

test("a question that was answered elsewhere leaves the terminal, and the run is followed to its end", async () => {
  await host.engine().execute("inbox.answer", { ...card(), decision: { kind: "stop" } });
  expect(await ended).toBe(exitCode.rejected);
  expect(output).toMatch(/This card is closed.*== failed/su);
});

test("an edit withdraws a verdict's question, and a typed answer to it lands nothing", {
  tags: "long",
}, async () => {
  const { changeId } = card();
  const workspace = join(repository.folder, "beside");
  await repository.terminal(["workspace", "add", workspace, "-r", changeId]);
  // Keeps the task's line: `--approve land` lands no result that lacks it.
  await writeFile(join(workspace, "src", "store.txt"), "keeps users\nby hand\n");
  await repository.terminal(["-R", workspace, "squash", "--into", changeId, "-m", "By hand"]);
  // Whether the question has gone by then or not.
  typed.write("land as it was\n");
  expect(await ended).toBe(exitCode.done);
  expect(output).toContain("was edited");
  expect(output).not.toContain("you land it anyway");
  expect(await repository.terminal(["file", "show", "-r", "main", "src/store.txt"])).toBe(
    "keeps users\nby hand",
  );
});
