/**
 * One run whose tasks are worked on by agents of different makes, and whose host is killed in the middle: on the host, or
 * on a worker that alone has the agents' programs.
 */
import { existsSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../src-main/engine/testing/waiting-workers.ts";
import { startStandIn } from "../../src-main/model/stand-in/stand-in.ts";
import { totalTokens } from "../../src-shared/domain/spending/usage.ts";
import type { HoxCommand } from "../real/hox.ts";
import { shell } from "../real/repository.ts";
import { approved, look, looked, stepsOf } from "./capabilities.ts";
import { createRepository, HoxRun, hoxDo, killRunners, removeRepository } from "./host.ts";
import { keyVariable, type Make } from "./makes.ts";
import { type Provider, providerKey, startProvider } from "./provider.ts";
import { aroundAgents, repositoryFiles, type Task } from "./task.ts";
import { joinWorker } from "./worker.ts";

export interface MixedResult {
  readonly name: string;
  readonly worked: boolean;
  readonly reason: string;
}

interface Member {
  readonly make: Make;
  readonly programs: string;
  readonly task: Task;
  readonly provider: Provider;
}

/** A worker finds a host that has begun within seconds. */
const planMs = { host: 0, worker: 10_000 } as const;
/** Shows that it runs, and ends with a word. */
const waits = "touch running; while [ ! -e go ]; do sleep 0.2; done; printf went-; echo on";

/** @throws Error where the run does not come as far as it should */
export async function tryMixedRun({
  installed,
  on,
  command,
  keep,
  say,
}: {
  readonly installed: readonly Pick<Member, "make" | "programs">[];
  readonly on: "host" | "worker";
  readonly command: HoxCommand;
  readonly keep: boolean;
  readonly say: (line: string) => void;
}): Promise<readonly MixedResult[]> {
  const members = await Promise.all(
    installed.map(async ({ make, programs }): Promise<Member> => {
      const task = { id: make.id, title: `Write the part of ${make.id}`, file: `src/${make.id}.txt` };
      return { make, programs, task, provider: await startProvider(make.wire, stepsOf(make)) };
    }),
  );
  const own = await startStandIn({
    script: aroundAgents(
      members.map(({ task }) => task),
      planMs[on],
    ),
  });
  const path = process.env.PATH ?? "";
  const withPrograms = [...members.map(({ programs }) => programs), path].join(delimiter);
  const there = await createRepository(command, repositoryFiles(members), {
    ANTHROPIC_BASE_URL: own.url,
    ANTHROPIC_API_KEY: own.apiKey,
    ...Object.fromEntries(members.map(({ make }) => [keyVariable(make), providerKey])),
    ...(on === "host" ? { PATH: withPrograms } : { PATH: path, HOX_WORKER_PORT: String(await freePort()) }),
  });
  const runs: HoxRun[] = [];
  const start = (args: readonly string[]): HoxRun => {
    const run = new HoxRun(command, [...args, "--approve", approved], there);
    runs.push(run);
    return run;
  };
  let joined: Awaited<ReturnType<typeof joinWorker>> | null = null;
  try {
    if (on === "worker") joined = await joinWorker(command, there, withPrograms);
    const goal = ["--goal", "Keep users", "--max-tokens", "none"];
    const first = start(on === "worker" ? [...goal, "--on", "agents"] : goal);
    const placesOf = (run: HoxRun): readonly string[] =>
      joined?.places() ?? members.flatMap(({ make }) => workerOf(run, make)?.workspace ?? []);
    await first.until("the agents", ({ view }) => tasksIn(view).length === members.length);
    for (const { make, task } of members) {
      const worker = first.view.workers.find(({ title }) => title === task.title)?.name ?? "";
      await hoxDo(command, ["reassign", worker, "--model", `${make.id}/${make.model}`], there);
    }
    say("all have their tasks");
    await Promise.all(members.map(beginWork));
    say("all wait in a command");
    const running = (): readonly string[] =>
      placesOf(first).filter((place) => existsSync(join(place, "running")));
    while (running().length < members.length) await pause(100);
    await first.kill();
    say("the host was killed");
    const second = start([]);
    await second.until("the agents after the host was killed", (run) =>
      members.every(({ make }) => workerOf(run, make)?.workspace),
    );
    for (const place of placesOf(second)) writeFileSync(join(place, "go"), "");
    await Promise.all(members.map(finishWork));
    say("all have reported");
    const code = await second.end();
    return [
      {
        name: "the run lands after its host was killed",
        worked: code === 0,
        reason: `it ended with ${code}: ${second.describe()}`,
      },
      ...(await Promise.all(
        members.map(async ({ make, task, provider }) => {
          const landed = await shell(`git show main:${task.file}`, there.root, there.environment);
          const spent = workerOf(second, make)?.spent;
          const isCounted = JSON.stringify(sorted(spent?.usage)) === JSON.stringify(sorted(provider.usage()));
          const told = spent ? totalTokens(spent.usage) : 0;
          return {
            name: `${make.id}: its file is on main, its usage as its provider counted`,
            worked: landed.output === `the part of ${make.id}\n` && isCounted,
            reason: `${landed.output.slice(0, 200)} ${told} tokens in the journal, ${totalTokens(provider.usage())} counted`,
          };
        }),
      )),
    ];
  } catch (error) {
    const wrong = [...own.unmatched(), ...members.flatMap(({ provider }) => provider.refused)].slice(0, 3);
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(wrong.length === 0 ? message : `${message} (refused: ${wrong.join("; ")})`);
  } finally {
    for (const run of runs) await run.kill();
    await killRunners(there);
    await joined?.stop();
    for (const { provider } of members) await provider.close();
    await own.close();
    if (!keep) removeRepository(there);
  }
}

const sorted = (usage: object | undefined): unknown => Object.entries(usage ?? {}).toSorted();

const tasksIn = ({ workers }: HoxRun["view"]): HoxRun["view"]["workers"] =>
  workers.filter(({ role, state }) => role === "agent" && (state === "tools" || state === "waiting"));

const workerOf = (run: HoxRun, { id }: Make): HoxRun["view"]["workers"][number] | undefined =>
  run.view.workers.find(({ model }) => model.startsWith(`${id}/`));

async function beginWork({ make, task, provider }: Member): Promise<void> {
  (await provider.next(`the first request of ${make.id}`)).answer({ calls: [make.run(look)] });
  const after = await provider.next(`the second request of ${make.id}`);
  const { folder } = looked.exec(after.text)?.groups ?? {};
  after.answer({ calls: [make.write(`${folder}/${task.file}`, `the part of ${make.id}\n`)] });
  (await provider.next(`the third request of ${make.id}`)).answer({ calls: [make.run(waits)] });
}

async function finishWork({ make, provider }: Member): Promise<void> {
  for (;;) {
    const asked = await provider.next(`the request of ${make.id} after its host was killed`);
    // Codex asks while a command is still running, and an agent that lost its host may have begun again.
    if (!asked.text.includes("went-on")) {
      asked.answer({ calls: [make.run(waits)] });
      continue;
    }
    asked.answer({ calls: [make.run("rm -f go running; printf now-; echo done")] });
    break;
  }
  const last = await provider.next(`the last request of ${make.id}`);
  last.answer({ calls: [make.hox("report_done", { summary: "It is written." })] });
  provider.answerAll(() => ({ say: "Done." }));
}
