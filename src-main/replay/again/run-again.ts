/** A recorded run once more: the real engine, its recorded answers in place of a model, and a repository of its own. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunView } from "#shared/contract/views/run.ts";
import { counted } from "#shared/domain/text/counted.ts";
import { trustConfigFile } from "../../config/change-config-file.ts";
import { defaultSettings } from "../../config/settings.ts";
import { createEngine } from "../../engine/engine.ts";
import type { Engine } from "../../engine/engine-interface.ts";
import { sharedHistoryFolder } from "../../jj/git-view.ts";
import { openRepository } from "../../jj/open.ts";
import type { Repository } from "../../jj/repository-interface.ts";
import { createAnthropicDriver } from "../../model/anthropic-driver.ts";
import { loadPriceTable, modelFacts } from "../../model/price-table.ts";
import { createRateLimit } from "../../model/rate-limit.ts";
import { type StandIn, startStandIn } from "../../model/stand-in/stand-in.ts";
import { createSandbox } from "../../tools/sandbox/sandbox.ts";
import { openRecording } from "../open-recording.ts";
import { type Recording, ReplayRefusal } from "../recording.ts";
import { type CourseDifference, compareCourses } from "./compare-courses.ts";
import { missingIn } from "./missing-parts.ts";
import { createNamesOfNow, type NamesOfNow } from "./names-of-now.ts";
import { answersCards, cardId, type RecordedCards } from "./recorded-cards.ts";
import { createRecordedOrder, type OrderedPart, type RecordedOrder } from "./recorded-order.ts";
import { type RecordedRound, recordedRounds } from "./recorded-rounds.ts";
import {
  type AskedDifferently,
  answerId,
  promptId,
  type RecordedScript,
  recordedScript,
} from "./recorded-script.ts";
import { readWorks } from "./recorded-works.ts";
import { scratchRepository } from "./scratch-repository.ts";
import { settingsAgain } from "./settings-again.ts";
import { namesAgain, startAgain } from "./start-again.ts";

export interface AgainOptions {
  readonly recording: Recording;
  /** Where the commit is read from that the run was built on; nothing is written there. */
  readonly source: Repository | null;
  /** An empty folder for everything that comes about. */
  readonly folder: string;
  /** What the recorded commands may reach; a recording of somebody else's says nothing of it. */
  readonly hosts: readonly string[];
  readonly onRun?: (run: RunView) => void;
  readonly signal?: AbortSignal;
  readonly newId: () => string;
}

export interface AgainReport {
  readonly stage: RunView["stage"];
  /** Why it went no further than it did; null: to its end. */
  readonly stopped: string | null;
  /** Cards before which it stands as it did then, because nobody answered them. */
  readonly unanswered: readonly string[];
  readonly requests: number;
  readonly differences: readonly CourseDifference[];
  readonly askedDifferently: readonly AskedDifferently[];
  /** Answers of the recording that nobody asked for. */
  readonly unasked: number;
  /** What the recording does not hold, or cannot be done again. */
  readonly missing: readonly string[];
}

/** @throws ReplayRefusal where it cannot begin */
export async function runAgain(options: AgainOptions): Promise<AgainReport> {
  const { recording, source, folder } = options;
  if (recording.input.isWatch)
    throw new ReplayRefusal(
      "This run reviewed sessions outside Hox, which are not in its recording.",
      "Watch it: leave --again out.",
    );
  const rounds = Object.entries(recording.conversations).flatMap(([worker, rows]) =>
    recordedRounds(worker, rows),
  );
  if (rounds.length === 0)
    throw new ReplayRefusal(
      "No model was asked in this run, so there is nothing to do again.",
      "Watch it: leave --again out.",
    );
  const root = await scratchRepository(recording, source, folder);
  await mkdir(join(root, ".hox"), { recursive: true });
  await writeFile(join(root, ".hox", "config.toml"), settingsAgain(recording.config, options.hosts));
  const names = createNamesOfNow();
  const under: { engine: Engine | null } = { engine: null };
  const order = createRecordedOrder(partsOf(rounds, recording.cards), () =>
    isBusy(under.engine?.state().run ?? null, recorded.waiting()),
  );
  const recorded = recordedScript(rounds, names, order);
  const { script, turnOf } = recorded;
  const standIn = await startStandIn({ script, turnOf });
  const repository = await openRepository(root);
  const stateFolder = join(folder, "state");
  await trustConfigFile({ root, stateFolder });
  try {
    const { stopped, unanswered } = await carryOut({
      ...options,
      repository,
      stateFolder,
      standIn,
      names,
      order,
      recorded,
      under,
    });
    const again = openRecording(stateFolder, "last");
    const works = await readWorks(repository, again);
    const before =
      recording.works.length > 0 || !source ? recording.works : await readWorks(source, recording);
    const differences = compareCourses(
      { moments: recording.moments, works: before },
      { moments: again.moments, works: before.length === 0 ? [] : works },
    );
    return {
      stage: again.stage,
      stopped,
      unanswered,
      requests: standIn.count(),
      differences,
      askedDifferently: recorded.askedDifferently(),
      unasked: recorded.unasked().length,
      missing: [...missingIn(recording, before.length > 0), ...saidNothing(recorded)],
    };
  } finally {
    order.stop();
    await repository.close();
    await standIn.close();
  }
}

/** What models were asked, and what they and people said, each at its time. */
const partsOf = (rounds: readonly RecordedRound[], cards: Recording["cards"]): readonly OrderedPart[] => [
  ...rounds.flatMap(({ at: askedAt, answers }, place) => [
    { id: promptId(place), at: askedAt },
    ...answers.map(({ at }, index) => ({ id: answerId(place, index), at })),
  ]),
  ...cards.flatMap(({ answeredAt, decision }, place) =>
    answeredAt === null || decision === null ? [] : [{ id: cardId(place), at: answeredAt }],
  ),
];

const isBusy = (run: RunView | null, waiting: ReadonlySet<string>): boolean =>
  run?.workers.some(({ name, state }) => (state === "tools" || state === "checking") && !waiting.has(name)) ??
  false;

const saidNothing = ({ saidNothing: said }: RecordedScript): readonly string[] =>
  [...said()].map(
    ([worker, count]) =>
      `${worker} was asked ${counted(count, "time")} more than then, and had nothing to say.`,
  );

interface Surroundings extends AgainOptions {
  readonly repository: Repository;
  readonly stateFolder: string;
  readonly standIn: StandIn;
  readonly names: NamesOfNow;
  readonly order: RecordedOrder;
  readonly recorded: RecordedScript;
  /** The engine, while there is one. */
  readonly under: { engine: Engine | null };
}

/** Nobody waits longer for something that does not come. */
const stillMs = 5 * 60_000;
/** Nor for what cut off somebody's work then, or before a card that nobody answered, while nothing else goes on. */
const cutOffMs = 30_000;

/** All that was recorded has come, and so long nothing more came of it. */
const settledMs = 3_000;

type End = Pick<AgainReport, "stopped" | "unanswered">;
const atItsEnd: End = { stopped: null, unanswered: [] };

/** @returns why it did not come to its end, where it did not */
async function carryOut(surroundings: Surroundings): Promise<End> {
  const { recording, onRun, names, order, recorded, under } = surroundings;
  const engine = await engineFor(surroundings);
  under.engine = engine;
  const cards = answersCards(engine, recording.cards, names, order);
  try {
    await engine.execute("run.start", startAgain(recording));
    let before = "";
    let movedAt = performance.now();
    for (;;) {
      const { run } = engine.state();
      if (run) onRun?.(run);
      if (run && ["complete", "failed", "stopped"].includes(run.stage)) return atItsEnd;
      const stopped = whyNoFurther(surroundings, cards);
      if (stopped !== null) return { ...atItsEnd, stopped };
      const waiting = recorded.waiting();
      const now = JSON.stringify([
        order.count(),
        run?.stage,
        run?.workers.flatMap((one) => (waiting.has(one.name) ? [] : [one.activity, one.state])),
      ]);
      if (now !== before) [before, movedAt] = [now, performance.now()];
      const still = performance.now() - movedAt;
      const end = whileStill(still, isBusy(run, waiting), { waiting, order, cards });
      if (end !== null) return end;
      await sleep(25);
      for (const { name, workspace } of run?.workers ?? []) learnFolder(recording, names, name, workspace);
    }
  } finally {
    cards.stop();
    await engine.close();
  }
}

/** @param still ms since anything went on @returns null: more may come */
function whileStill(
  still: number,
  hasWork: boolean,
  {
    waiting,
    order,
    cards,
  }: {
    readonly waiting: ReadonlySet<string>;
    readonly order: RecordedOrder;
    readonly cards: RecordedCards;
  },
): End | null {
  const unanswered = cards.unanswered();
  const isIdle = !hasWork && still > (order.isOver() ? settledMs : cutOffMs);
  if (unanswered.length > 0 && isIdle)
    return { stopped: order.isOver() ? null : "What was said next then was not asked for.", unanswered };
  const stopped =
    waiting.size > 0 && still > cutOffMs && !hasWork
      ? `${[...waiting].join(", ")} waited for what cut its work off then, and it did not come.`
      : still > stillMs
        ? "Nothing went on any more."
        : null;
  return stopped === null ? null : { ...atItsEnd, stopped };
}

function whyNoFurther({ standIn, recorded, signal }: Surroundings, cards: RecordedCards): string | null {
  const [unmatched] = standIn.unmatched();
  if (signal?.aborted) return "It was interrupted.";
  if (unmatched !== undefined)
    return `The recording has no further answer. ${recorded.beyond() ?? unmatched}`;
  return cards.withoutAnswer();
}

function learnFolder({ moments }: Recording, names: NamesOfNow, worker: string, folder: string | null): void {
  if (folder === null) return;
  for (const { event } of moments)
    if (event.kind === "WorkspaceOpened" && event.worker === worker) names.add(event.folder, folder);
}

function engineFor({
  recording,
  repository,
  stateFolder,
  standIn,
  newId,
  hosts,
}: Surroundings): Promise<Engine> {
  return createEngine({
    repository,
    stateFolder,
    settings: () => ({ ...defaultSettings, allowUnsandboxed: false }),
    // Whatever a run asks for: there is no other model here than its recording.
    driverFor: async () =>
      createAnthropicDriver({
        name: "recording",
        isScripted: true,
        apiKey: standIn.apiKey,
        baseUrl: standIn.url,
        scheduler: createRateLimit(),
        models: modelFacts(loadPriceTable()),
        attempts: 1,
        // An answer waits for its turn.
        idleMs: 2 * stillMs,
      }),
    sandbox: (config) =>
      createSandbox({
        allowUnsandboxed: false,
        protectedFiles: config.protectedFiles,
        hosts,
        repository: repository.root,
        readable: [sharedHistoryFolder(stateFolder)],
      }),
    now: Date.now,
    newId,
    recordedNames: namesAgain(recording),
  });
}
