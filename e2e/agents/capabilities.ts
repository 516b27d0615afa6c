/** What one agent can do on a task of a run, each seen at its provider, in its workspace or in the run. */
import { delimiter } from "node:path";
import { dialects } from "../../src-main/external-agents/dialects.ts";
import { startStandIn } from "../../src-main/model/stand-in/stand-in.ts";
import { totalTokens } from "../../src-shared/domain/spending/usage.ts";
import type { HoxCommand } from "../real/hox.ts";
import { type Surroundings, shell } from "../real/repository.ts";
import { createRepository, HoxRun, hoxDo, killRunners, removeRepository } from "./host.ts";
import { keyVariable, type Make } from "./makes.ts";
import { type Asked, type Provider, providerKey, startProvider } from "./provider.ts";
import { answer, aroundAgents, repositoryFiles, startedBySettings, type Task } from "./task.ts";

export const capabilities = [
  "runs a command",
  "has no network",
  "writes a file",
  "project settings hidden",
  "asks, gets the answer",
  "interrupted, continues",
  "resumed after a kill",
  "reports done, lands",
  "stops at the budget",
] as const;
type Capability = (typeof capabilities)[number];

export interface Seen {
  readonly capability: Capability;
  readonly worked: boolean;
  readonly reason: string;
}

export const approved = "preflight,plan,mutations,merge_requests,land";

export interface Tried {
  readonly make: Make;
  /** The folder with its program. */
  readonly programs: string;
  readonly command: HoxCommand;
  readonly say: (line: string) => void;
  readonly keep: boolean;
}

const task: Task = { id: "store", title: "Write the store", file: "src/store.txt" };
/** Prints where it is, that it ran, its networks, and the files. Gemini CLI runs no command with a substitution. */
export const look = `printf 'HOX:%s:' "$PWD"; expr 6 '*' 7; grep -c : /proc/net/dev; ls -A`;
export const looked = /HOX:(?<folder>\/[^:]*):42\\+n(?<networks>\d+)\\+n(?<files>[^"]*)/u;

/** What a command prints in a conversation, to know that conversation again. */
const mark = "printf mark-; expr 21 + 21";
const marked = /mark-42/u;

/** @param limit of what worked, or why it did not */
type Note = (capability: Capability, worked: boolean, wrong: string, limit?: string) => void;

/** @returns what was seen; a capability that was not reached is not in it */
export async function tryCapabilities(tried: Tried): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  const note: Note = (capability, worked, wrong, limit = "") => {
    const reason = worked ? limit : wrong;
    seen.push({ capability, worked, reason });
    tried.say(`${capability}: ${worked ? "yes" : "NO"} ${reason}`);
  };
  await inRepository(tried, (scene) => wholeTask(scene, note)).catch((error: Error) =>
    fail(note, seen, error, "stops at the budget"),
  );
  await inRepository(tried, (scene) => budget(scene, note)).catch((error: Error) =>
    note("stops at the budget", false, error.message),
  );
  return seen;
}

/** What an error kept from being seen did not work, because of it. */
function fail(note: Note, seen: readonly Seen[], error: Error, except: Capability): void {
  const missing = capabilities.filter(
    (one) => one !== except && !seen.some(({ capability }) => capability === one),
  );
  for (const [index, one] of missing.entries())
    note(one, false, index === 0 ? error.message : `not reached: ${missing[0]}`);
}

interface Scene extends Tried {
  readonly provider: Provider;
  readonly there: Surroundings;
  run(args: readonly string[]): HoxRun;
}

async function inRepository(tried: Tried, work: (scene: Scene) => Promise<void>): Promise<void> {
  const { make, programs, command } = tried;
  const provider = await startProvider(make.wire, stepsOf(make));
  const own = await startStandIn({ script: aroundAgents([task]) });
  const there = await createRepository(command, repositoryFiles([{ make, provider }]), {
    ANTHROPIC_BASE_URL: own.url,
    ...{ ANTHROPIC_API_KEY: own.apiKey, [keyVariable(make)]: providerKey },
    PATH: [programs, process.env.PATH ?? ""].join(delimiter),
  });
  const runs: HoxRun[] = [];
  try {
    await work({
      ...tried,
      provider,
      there,
      run(args) {
        const run = new HoxRun(command, [...args, "--approve", approved], there);
        runs.push(run);
        return run;
      },
    });
    const wrong = [...own.unmatched(), ...provider.refused];
    if (wrong.length > 0) tried.say(`refused or unmatched: ${wrong.join("; ").slice(0, 2_000)}`);
  } catch (error) {
    const wrong = [...own.unmatched(), ...provider.refused].slice(0, 3).join("; ");
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(wrong === "" ? message : `${message} (refused: ${wrong})`);
  } finally {
    for (const run of runs) await run.kill();
    await killRunners(there);
    await provider.close();
    await own.close();
    if (!tried.keep) removeRepository(there);
  }
}

/** Titles and other words on the side are asked of other models, or without tools. */
export const stepsOf =
  ({ shell, model }: Make): Parameters<typeof startProvider>[1] =>
  (tools, asked) =>
    tools.includes(shell) && asked === model;

const start = ({ make }: Scene): readonly string[] => [
  "--goal",
  "Keep users",
  "--model",
  `${make.id}/${make.model}`,
];

async function wholeTask(scene: Scene, note: Note): Promise<void> {
  const { make, provider, there, command } = scene;
  const run = scene.run([...start(scene), "--max-tokens", "none"]);
  const next = (what: string): Promise<Asked> =>
    Promise.race([
      provider.next(what),
      run.end().then((code) => {
        throw new Error(`the run ended (${code}) before ${what} came: ${run.describe()}`);
      }),
    ]);
  (await next("its first request")).answer({ say: "I look.", calls: [make.run(look)] });
  const afterLook = await next("its request after a command");
  const { folder, networks, files = "" } = looked.exec(afterLook.text)?.groups ?? {};
  note("runs a command", folder !== undefined, `its output is not in ${afterLook.text.slice(-600)}`);
  note("has no network", networks === "1", `it sees ${networks ?? "unknown"} networks`);

  afterLook.answer({ calls: [make.write(`${folder}/${task.file}`, "the store\n")] });
  const afterWrite = await next("its request after it wrote a file");
  afterWrite.answer({ calls: [make.run(`cat ${task.file}; ls -A; wc -c .*/settings.json`)] });
  const afterRead = await next("its request after it read the file");
  const isWritten = (afterRead.text.match(/the store/gu)?.length ?? 0) > 1;
  note("writes a file", isWritten, `it is not in ${afterRead.text.slice(-600)}`);
  const started = [files, afterRead.text.slice(-4_000)].some((text) => text.includes(startedBySettings));
  const offered = /evil/u.exec(afterRead.text)?.[0];
  note(
    "project settings hidden",
    !started && offered === undefined,
    started ? "a program of theirs was started" : `${offered} is in its requests`,
  );

  afterRead.answer({ calls: [make.hox("align_request", { question: "How is the id called?" })] });
  let asked = await next("its request after its question");
  // It may say a last word in the turn that its question ends.
  if (!asked.text.includes(answer)) {
    asked.answer({ say: "I wait." });
    asked = await next("its request with the answer to its question");
  }
  note("asks, gets the answer", asked.text.includes(answer), "the answer is not in its request");

  // Hox's prompt begins a new conversation with each iteration, so this one gets a mark of its own.
  asked.answer({ say: "I continue.", calls: [make.run(mark)] });
  const beforePause = await next("its request before it is interrupted");
  await hoxDo(command, ["pause", "agent-1"], there);
  beforePause.answer({ say: "I look again.", calls: [make.run("echo again")] });
  await run.until("the pause of agent-1", (one) => one.worker("agent-1")?.state === "paused");
  const waited = provider.waiting();
  await hoxDo(command, ["resume", "agent-1"], there);
  const continued = await next("its request after it was interrupted");
  const kept = memory(scene, continued);
  note(
    "interrupted, continues",
    waited === 0 && kept.isThere,
    waited > 0 ? "it asked while it was paused" : kept.reason,
    kept.reason,
  );

  // While it waits for its model, and only it.
  const killed = await killRunners(there);
  const resumed = await next("its request after its process was killed");
  const resumption = memory(scene, resumed);
  note(
    "resumed after a kill",
    killed === 1 && resumption.isThere,
    killed === 1 ? resumption.reason : `${killed} processes were killed`,
    resumption.reason,
  );

  resumed.answer({ calls: [make.hox("report_done", { summary: "The store is written." })] });
  provider.answerAll(() => ({ say: "Done." }));
  const code = await run.end();
  const landed = await shell(`git show main:${task.file}`, there.root, there.environment);
  note(
    "reports done, lands",
    code === 0 && landed.output === "the store\n",
    `it ended with ${code}: ${run.describe()}`,
  );
}

/** Whether an agent has its conversation, or, where Hox says that it forgets, its task again. */
function memory({ make }: Scene, { text }: Asked): { readonly isThere: boolean; readonly reason: string } {
  if (marked.test(text)) return { isThere: true, reason: "" };
  const isTold = text.includes(`Write ${task.file}.`);
  const forgets = dialects.find(({ id }) => id === make.id)?.forgetsCancelled ?? false;
  return isTold
    ? { isThere: forgets, reason: "its task is told again, as it forgets the turn" }
    : { isThere: false, reason: "it knows nothing of its task" };
}

async function budget(scene: Scene, note: Note): Promise<void> {
  const { make, provider } = scene;
  const limit = 60_000;
  provider.answerAll(() => ({ say: "I look.", calls: [make.run(`echo ${Math.random()}`)] }));
  const run = scene.run([...start(scene), "--max-tokens", String(limit)]);
  const code = await run.end();
  const { spent } = run.view.budget;
  const ofAgent = run.worker("agent-1")?.spent;
  const counted = totalTokens(provider.usage());
  const told = ofAgent ? totalTokens(ofAgent.usage) : 0;
  const requests = [...provider.answered.values()].reduce((sum, count) => sum + count, 0);
  const largest = counted / Math.max(1, requests);
  const over = totalTokens(spent.usage) - limit;
  note(
    "stops at the budget",
    requests > 1 && over >= 0 && over < 2 * largest && told === counted,
    `${code}, ${requests} requests, ${over} tokens over it, ${told} counted of ${counted}: ${run.describe()}`,
  );
}
