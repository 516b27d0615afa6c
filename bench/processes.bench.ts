import { defaultSettings } from "../src-main/config/settings.ts";
import { createFixture, over } from "../src-main/engine/testing/run-fixture.ts";
import type { Repository } from "../src-main/jj/repository-interface.ts";
import { rehearsalNamed } from "../src-main/rehearsals/rehearsals.ts";
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
  readonly options: Parameters<typeof createFixture>[0];
  readonly goal: string;
  readonly rehearsal?: string;
  readonly agents: number;
  /** Counting begins when it resolves; default: with the run. */
  readonly begins?: Promise<void>;
  /** Counting ends then; default: when the run is over. */
  readonly ends?: (run: RunView) => boolean;
}

/** What a run starts; its result has landed in the end. */
async function startedBy({ options, goal, rehearsal, agents, begins, ends }: Asked): Promise<Started> {
  const opened: Repository[] = [];
  const fixture = await createFixture({
    ...options,
    around: (repository) => {
      opened.push(repository);
      return repository;
    },
  });
  try {
    fixture.settings = { ...defaultSettings, maxParallelAgents: agents };
    const [repository] = opened;
    if (!repository) throw new Error("No repository was opened.");
    let before = repository.processesByCommand();
    const begun = begins?.then(() => {
      before = repository.processesByCommand();
    });
    await fixture.start({ goal, ...(rehearsal === undefined ? {} : { rehearsal }) });
    await begun;
    let counted: Started | null = null;
    if (ends) {
      await fixture.until((run) => ends(run) || over(run), 1_800_000);
      counted = since(before, repository.processesByCommand());
    }
    const run = await fixture.until(over, 1_800_000);
    if (run.stage !== "complete") throw new Error(`The run is ${run.stage}: ${run.failure?.reason}`);
    return counted ?? since(before, repository.processesByCommand());
  } finally {
    await fixture.remove();
  }
}

const total = (started: Started): number => Object.values(started).reduce((sum, count) => sum + count, 0);

const say = (what: string, started: Started): void => {
  const listed = Object.entries(started).map(([command, count]) => `${count} ${command}`);
  process.stderr.write(`bench: processes: ${what}: ${total(started)}: ${listed.join(", ")}\n`);
};

const mostOfRehearsal = 200;
const mostOfTask = 12;

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
    goal: "Measure",
    agents: 1,
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
    const { goal } = rehearsalNamed("profiles");
    const rehearsal = await startedBy({
      options: { rehearsal: "profiles" },
      goal,
      rehearsal: "profiles",
      agents: 3,
    });
    say("the rehearsal", rehearsal);
    yield row({
      name: "jj processes of the bundled rehearsal, from plan to landing",
      value: total(rehearsal),
      unit: "processes",
      hold: `≤ ${mostOfRehearsal}`,
      ok: total(rehearsal) <= mostOfRehearsal,
    });
    const [few, many, long] = [await steady(2, 2), await steady(6, 2), await steady(2, 6)];
    const iteration = (long - few) / (2 * 4);
    const task = (many - few) / 4 - 2 * iteration;
    yield row({
      name: "jj processes of a task from planned to merged, beside its iterations",
      value: task,
      unit: "processes",
      hold: `≤ ${mostOfTask}`,
      ok: task <= mostOfTask,
    });
  },
};

export default bench;
