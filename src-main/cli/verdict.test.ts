import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test } from "vitest";
import { judgedFiles, judgedScript, seat } from "../engine/testing/verdict-script.ts";
import { createTestRepository, type TestRepository } from "../jj/testing/create-test-repository.ts";
import { type StandIn, startStandIn } from "../model/stand-in/stand-in.ts";
import { exitCode } from "./command-line.ts";

const entry = fileURLToPath(new URL("../cli.ts", import.meta.url));
let folder: string;
let repository: TestRepository;
let standIn: StandIn;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "hox-verdict-")));
  repository = await createTestRepository({
    files: judgedFiles(["validator_count = 1", "repair_rounds = 0"], "[ceremony]", 'learning = "never"'),
  });
  await repository.terminal(["bookmark", "set", "main", "-r", "@-"]);
  standIn = await startStandIn({ script: judgedScript({ "validator-1": seat(() => "reject") }) });
});
afterEach(async () => {
  await standIn.close();
  await repository.remove();
  await rm(folder, { recursive: true, force: true });
});

const hox = (args: readonly string[]) =>
  execa(process.execPath, [entry, ...args], {
    cwd: repository.repository.root,
    reject: false,
    stdin: "ignore",
    env: {
      HOX_STATE: join(folder, "state"),
      ANTHROPIC_API_KEY: standIn.apiKey,
      ANTHROPIC_BASE_URL: standIn.url,
      npm_lifecycle_event: "",
      NO_COLOR: "1",
    },
  });
const lastLine = (text: string): Record<string, unknown> =>
  JSON.parse(text.trim().split("\n").at(-1) ?? "") as Record<string, unknown>;

/** Every gate there is: none of them answers for a verdict that failed. */
const everyGate = ["--approve", "first-look,plan,questions,mutations,folds,patterns,land"];
const begin = ["run", "--goal", "Keep users", ...everyGate];

test("a failed verdict waits with its three answers, is stopped as rejected with 5, and says what it was", {
  tags: "long",
}, async () => {
  const waiting = await hox(begin);
  expect(waiting.exitCode).toBe(exitCode.waits);
  expect(waiting.stdout).toContain("Rejected: 1 against 0 (round 1, ");
  expect(waiting.stdout).toMatch(/validator-1 \(result\) reject: Round 1: no mail\./u);
  for (const line of ["hox answer 1 repair", "hox answer 1 land the check is wrong", "hox answer 1 stop"])
    expect(waiting.stdout).toContain(line);
  expect(waiting.stdout).toContain("No --approve answers it");
  expect((await hox(["status"])).stdout).toContain("1. Rejected: 1 against 0");

  const unfounded = await hox(["answer", "1", "land"]);
  expect([unfounded.exitCode, unfounded.stderr]).toEqual([
    exitCode.usage,
    expect.stringContaining("Say why it lands against the verdict"),
  ]);
  expect((await hox(["answer", "1", "stop"])).exitCode).toBe(exitCode.done);
  const stopped = await hox(["run", ...everyGate, "--json"]);
  expect([stopped.exitCode, stopped.stderr]).toEqual([exitCode.rejected, ""]);
  expect(lastLine(stopped.stdout)).toMatchObject({
    kind: "end",
    outcome: "failed",
    code: exitCode.rejected,
    landed: null,
    verdict: "rejected",
    overruled: null,
  });
});

test("landed against its verdict a result says why, in text and as JSON", { tags: "long" }, async () => {
  const waiting = await hox([...begin, "--json"]);
  expect(lastLine(waiting.stdout)).toMatchObject({ outcome: "waits", card: "votes", code: exitCode.waits });
  await hox(["answer", "1", "land", "it", "is", "needed"]);
  const landed = await hox(["run", ...everyGate]);
  expect(landed.exitCode).toBe(exitCode.done);
  expect(landed.stdout).toContain("rejected; you land it all the same: it is needed");
  expect((await hox(["status"])).stdout).toContain(
    "verdict: rejected; you land it all the same: it is needed",
  );
  expect(await repository.terminal(["log", "--no-graph", "-r", "main", "-T", "description"])).toContain(
    "Hox-Overruled: it is needed",
  );
});
