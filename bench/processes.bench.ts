import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { builtFolder } from "../e2e/host.ts";
import { defaultSettings } from "../src-main/config/settings.ts";
import { toolPath } from "../src-main/config/tools.ts";
import { openFixture, over } from "../src-main/engine/testing/run-fixture.ts";
import type { Repository } from "../src-main/jj/ports/repository-interface.ts";
import { prepareRehearsal } from "../src-main/rehearsals/prepare.ts";
import type { RunView } from "../src-shared/contract/views/run.ts";
import { type Bench, row } from "./row.ts";
import { steadyScript } from "./steady.ts";

type Started = Readonly<Record<string, number>>;

const since = (before: Started, now: Started): Started =>
  Object.fromEntries(
    Object.entries(now).flatMap(([command, count]) => {
      const more = count - (before[command] ?? 0);
      return more > 0 ? [[command, more]] : [];
    }),
  );

interface Asked {
  readonly options: Parameters<typeof openFixture>[0];
  /** Counting begins when it resolves. */
  readonly begins: Promise<void>;
  /** Counting ends then. */
  readonly ends: (run: RunView) => boolean;
}

/** What a run of one agent at a time starts; its result has landed in the end. */
async function startedBy({ options, begins, ends }: Asked): Promise<Started> {
  const opened: Repository[] = [];
  const fixture = await openFixture({
    ...options,
    around: (repository) => {
      opened.push(repository);
      return repository;
    },
  });
  try {
    fixture.settings = { ...defaultSettings, maxParallelAgents: 1 };
    const [repository] = opened;
    if (!repository) throw new Error("No repository was opened.");
    let before = repository.processesByCommand();
    const begun = begins.then(() => {
      before = repository.processesByCommand();
    });
    await fixture.start({ goal: "Measure" });
    await begun;
    await fixture.until((run) => ends(run) || over(run), 1_800_000);
    const counted = since(before, repository.processesByCommand());
    const run = await fixture.until(over, 1_800_000);
    if (run.stage !== "complete") throw new Error(`The run is ${run.stage}: ${run.failure?.reason}`);
    return counted;
  } finally {
    await fixture.remove();
  }
}

const total = (started: Started): number => Object.values(started).reduce((sum, count) => sum + count, 0);

const say = (what: string, started: Started): void => {
  const listed = Object.entries(started).map(([command, count]) => `${count} ${command}`);
  process.stderr.write(`bench: processes: ${what}: ${total(started)}: ${listed.join(", ")}\n`);
};

/**
 * What the whole of `hox run` starts for the bundled rehearsal, from its opening to its end. Counted by a program in jj's
 * place, so that nothing is left out that only the host knows of.
 */
async function rehearsed(): Promise<Started> {
  const folder = await mkdtemp(join(tmpdir(), "hox-bench-"));
  try {
    const [root, log, counting] = ["example", "calls", "jj"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    await prepareRehearsal("profiles", root);
    await writeFile(
      counting,
      `#!/bin/bash\ncall="$*"\nprintf '%s\\n' "\${call//$'\\n'/ }" >> '${log}'\nexec '${toolPath("jj")}' "$@"\n`,
      { mode: 0o755 },
    );
    const approve = "preflight,plan,mutations,dependencies,merge_requests,patterns,land,questions";
    const cli = join(builtFolder, "main", "cli.js");
    await execa(
      toolPath("node"),
      [cli, "run", "--rehearsal", "profiles", "--repo", root, "--pace", "0", "--approve", approve],
      { env: { HOX_JJ: counting, HOX_STATE: join(folder, "state") }, stdin: "ignore" },
    );
    const calls = (await readFile(log, "utf8")).trim().split("\n");
    const commands = calls.map((call) => commandIn(call));
    return Object.fromEntries(
      [...new Set(commands)].map((one) => [one, commands.filter((command) => command === one).length]),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The command of a call, without the options before it. */
const commandIn = (call: string): string =>
  /(?<= )(?:log|op log|new|describe|sparse|workspace \w+|file \w+|git \w+|bookmark \w+|util \w+|config \w+|edit|rebase|diff|abandon|op \w+)(?= )/u.exec(
    call,
  )?.[0] ?? "other";

const maxRehearsalProcesses = 200;
const maxTaskProcesses = 12;

/** What tasks that have nothing to do with each other start, from the first agent's first words until all are merged. */
async function steady(tasks: number, iterations: number): Promise<number> {
  const first = Promise.withResolvers<void>();
  const started = await startedBy({
    options: {
      script: steadyScript({ tasks, iterations, onRequest: () => first.resolve() }),
      files: {
        ".hox/config.toml":
          '[loop_defaults]\nmax_iterations = 60\n[backpressure]\nfast_checks = []\nslow_checks = []\n[gates]\nplan = "auto"\n',
      },
    },
    begins: first.promise,
    ends: ({ stage }) => stage !== "planning" && stage !== "executing",
  });
  say(`${tasks} tasks of ${iterations} iterations`, started);
  return total(started);
}

/**
 * How often a run starts jj: the bundled rehearsal whole, and one task more. What a task costs is the difference between
 * runs of more and of fewer tasks, less its iterations, which are the difference between longer and shorter tasks.
 */
const bench: Bench = {
  name: "processes",
  async *run() {
    const rehearsal = await rehearsed();
    say("the rehearsal", rehearsal);
    yield row({
      name: "jj processes of `hox run` with the bundled rehearsal, counted from outside",
      value: total(rehearsal),
      unit: "processes",
      hold: `≤ ${maxRehearsalProcesses}`,
      ok: total(rehearsal) <= maxRehearsalProcesses,
    });
    const [few, many, long] = [await steady(2, 2), await steady(6, 2), await steady(2, 6)];
    const iteration = (long - few) / (2 * 4);
    const task = (many - few) / 4 - 2 * iteration;
    yield row({
      name: "jj processes of a task from planned to merged, beside its iterations",
      value: task,
      unit: "processes",
      hold: `≤ ${maxTaskProcesses}`,
      ok: task <= maxTaskProcesses,
    });
  },
};

export default bench;
