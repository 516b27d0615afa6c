/**
 * A host in a process of its own, to be killed:
 * `node child-host.ts <repository> <state folder> <stand-in> <key> [<trace file> <selection of kill points as JSON> <scenario>
 * <what is around it as JSON>]`.
 * It starts the runs of a scenario or goes on with them, answers every card as the scenario says, prints the result and
 * ends with 0. What a user would have to look at ends it with 3.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { InboxItem } from "#shared/contract/cards.ts";
import { defaultSettings } from "../../config/settings.ts";
import { openRepository } from "../../jj/open.ts";
import { openJournal } from "../../journal/journal.ts";
import { createAnthropicDriver } from "../../model/anthropic-driver.ts";
import { loadPriceTable, modelFacts } from "../../model/price-table.ts";
import { createRateLimit } from "../../model/rate-limit.ts";
import { createConnectedMachines } from "../../places/host/connected-machines.ts";
import { openPlaces, placesFile } from "../../places/places-database.ts";
import { createSandbox } from "../../tools/sandbox/sandbox.ts";
import { openWorkerDoor } from "../../transport/worker-door.ts";
import { createEngine } from "../engine.ts";
import { StaleAnswer } from "../engine-errors.ts";
import { type CrashScenario, crashScenarios, goalsOf, isCrashScenario } from "./crash-scenarios.ts";
import { project } from "./external-agent-script.ts";
import { createKillPoints, note, type Selection, type Trace } from "./kill-points.ts";
import { aroundPlaces } from "./kill-points-of-workers.ts";
import { forgesOn } from "./quick-forges.ts";
import { over } from "./run-fixture.ts";

const [
  root = "",
  stateFolder = "",
  baseUrl = "",
  apiKey = "",
  trace,
  selection,
  scenarioName = "three-agents",
  around = "{}",
] = process.argv.slice(2);
if (!isCrashScenario(scenarioName)) throw new Error(`There is no scenario "${scenarioName}".`);
const scenario: CrashScenario = crashScenarios[scenarioName];
const points =
  trace !== undefined && selection !== undefined
    ? createKillPoints(trace, JSON.parse(selection) as Selection)
    : null;
const tell = (entry: Trace): void => {
  if (trace !== undefined) note(trace, entry);
};

const { forge, port } = JSON.parse(around) as { readonly forge?: string; readonly port?: number };
const forges = forge === undefined ? null : forgesOn(forge);

/** Workers that outlive this process find it at the same port. */
async function takeWorkers(at: number) {
  const database = openPlaces(placesFile(stateFolder), () => Date.now());
  const places = points === null ? database.places : aroundPlaces(database.places, points.at);
  const connected = createConnectedMachines({ places, machines: database.machines });
  await openWorkerDoor({ connected, machines: database.machines }, at);
  // A run waits only for those that have been there before.
  while ((await database.machines.all()).some(({ about }) => about === null)) await pause(50);
  return connected;
}
const connected = port === undefined ? null : await takeWorkers(port);

const models = modelFacts(loadPriceTable());
const repository = await openRepository(root);
let ids = 0;
const engine = await createEngine({
  repository: points?.repository(repository) ?? repository,
  stateFolder,
  settings: () => ({ ...defaultSettings, maxParallelAgents: 3 }),
  driverFor: async () =>
    createAnthropicDriver({ apiKey, baseUrl, scheduler: createRateLimit(), models, backoffMs: 5 }),
  endpointFor: async () => ({ baseUrl, apiKey, scheduler: createRateLimit() }),
  sandbox: () => createSandbox({ allowUnsandboxed: false, readable: [project] }),
  ...(connected === null ? {} : { places: connected }),
  ...(forges === null ? {} : { forges: points?.forges(forges) ?? forges }),
  now: () => Date.now(),
  // With a digit, so that points are named alike from run to run.
  newId: () => `${process.pid.toString(36)}0${Date.now().toString(36)}${(ids++).toString(36)}`,
  ...(points ? { openJournal: (path, now) => points.journal(openJournal(path, now)) } : {}),
});

// Each begins beside those before it; what an earlier life has begun stands in the journal, over or not.
for (const goal of goalsOf(scenario)) {
  if (engine.runs().some((run) => run.goal === goal)) continue;
  const { run } = await engine.execute("run.start", {
    goal,
    orchestrators: null,
    maxTokens: null,
    maxMicroDollars: null,
    onto: null,
    rehearsal: null,
    model: "claude-sonnet-5-5",
    ...(scenario.models ? { models: scenario.models } : {}),
    ...(scenario.workers ? { on: "test" } : {}),
  });
  tell({ kind: "started", run });
}

const answered = new Set<string>();
const consider = async (item: InboxItem): Promise<void> => {
  if (answered.has(item.nonce)) return;
  answered.add(item.nonce);
  const decision = await scenario.answers[item.kind]?.(item);
  if (!decision) {
    process.stderr.write(`Nobody answers ${JSON.stringify(item)}\n`);
    process.exit(3);
  }
  tell({ kind: "given", card: item.id, decision });
  try {
    await engine.execute("inbox.answer", { ...item, decision });
  } catch (error) {
    // Another run changed what it is about meanwhile: the card comes again.
    if (error instanceof StaleAnswer) return;
    throw error;
  }
  tell({ kind: "taken", card: item.id });
};
const look = (): void => {
  const { run, runs, inbox } = engine.state();
  if (run && runs.every(over)) {
    clearInterval(looking);
    const { stage, failure, budget } = run;
    process.stdout.write(JSON.stringify({ stage, failure, spent: budget.spent }));
    void engine.close().then(() => process.exit(0));
    return;
  }
  for (const item of inbox) void consider(item);
  void scenario.gesture?.(engine);
};
const looking = setInterval(look, 30);
// What hangs says where it stands; whoever started it ends it.
process.on("SIGTERM", () => {
  process.stderr.write(JSON.stringify(engine.state(), null, 1));
  process.exit(4);
});
