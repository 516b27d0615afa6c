import { rm } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { CardAnswer, InboxItem, InboxKind } from "#shared/contract/cards.ts";
import {
  type ClientArguments,
  type CommandInput,
  type CommandOutput,
  type EngineCommandName,
  withFields,
} from "#shared/contract/commands.ts";
import type { Settings } from "#shared/contract/settings.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { defaultSettings } from "../../config/settings.ts";
import { changeConfigFile, trustConfigFile } from "../../config/write-settings.ts";
import type { Forges } from "../../forge/connect.ts";
import { sharedHistoryFolder } from "../../jj/git/git-view.ts";
import { openRepository } from "../../jj/open.ts";
import type { Repository } from "../../jj/ports/repository-interface.ts";
import { type GitRepository, openInGitRepository } from "../../jj/testing/create-git-repository.ts";
import { createTestRepository, type TestRepository } from "../../jj/testing/create-test-repository.ts";
import { createAnthropicDriver } from "../../model/anthropic-driver.ts";
import { loadPriceTable, modelFacts } from "../../model/price-table.ts";
import { createRateLimit } from "../../model/rate-limit.ts";
import type { Fault, Script } from "../../model/stand-in/script.ts";
import { type StandIn, startStandIn } from "../../model/stand-in/stand-in.ts";
import type { ConnectedMachines } from "../../places/host/connected-machines.ts";
import { prepareRehearsal } from "../../rehearsals/prepare.ts";
import { rehearsalScript } from "../../rehearsals/testing/rehearsal-script.ts";
import { createSandbox } from "../../tools/sandbox/sandbox.ts";
import type { Sandbox } from "../../tools/tool-interface.ts";
import { createEngine } from "../engine.ts";
import { StaleAnswer } from "../engine-errors.ts";
import type { Engine, EngineEvent, EngineOptions } from "../engine-interface.ts";
import { type TestWorkflow, withDefaultConfig } from "./default-config.ts";
import { acceptsMergeRequests, exampleFiles, threeAgents } from "./three-agents-script.ts";
import { type RunCondition, waitForRun } from "./wait-for-run.ts";

export type Answers = Partial<
  Record<InboxKind, (item: InboxItem) => CardAnswer | null | Promise<CardAnswer | null>>
>;

/** A user who says yes to everything. */
export const agreeable: Answers = {
  plan: () => ({ kind: "approve" }),
  "align-request": () => ({ kind: "answer", text: "user_id, please" }),
  mutation: () => ({ kind: "approve" }),
  pattern: () => ({ kind: "approve" }),
  land: () => ({ kind: "approve", bookmark: "main" }),
  preflight: () => ({ kind: "approve" }),
};

type RunMessage = Extract<EngineEvent, { kind: "run" | "run-update" }>;
type SeenEvent = Exclude<EngineEvent, RunMessage> | { readonly kind: "run"; readonly run: RunView };

export interface Fixture {
  readonly repo: TestRepository;
  /** The repository that the engine works on. */
  readonly root: string;
  readonly standIn: StandIn;
  engine: Engine;
  /** What was told, with runs as screens show them. */
  readonly events: SeenEvent[];
  /** What windows were sent of the runs. */
  readonly stream: RunMessage[];
  settings: Settings;
  answers: Answers;
  /** Engines that are opened from now on use this key. */
  useKey(key: string): void;
  /** Changes `.hox/config.toml` as the user does, who trusts what they write. */
  configure(text: string): Promise<void>;
  /** Closes the engine and opens it again, as the app does; where the repository is elsewhere by then, `meanwhile` says. */
  reopen(meanwhile?: () => Promise<{ readonly root: string } | undefined> | Promise<void>): Promise<void>;
  /** How many requests there had been each time it was closed. */
  readonly closings: number[];
  /** Gives the engine a command, about the run that it shows where no other one is named. */
  execute<Name extends EngineCommandName>(
    name: Name,
    ...input: ClientArguments<Name>
  ): Promise<CommandOutput<Name>>;
  start(over?: Partial<CommandInput<"run.start">>): Promise<string>;
  /** Waits for a view of the run. */
  until(condition: RunCondition, ms?: number): Promise<RunView>;
  /** Waits for a card of a kind and answers with it. */
  card(kind: InboxKind): Promise<InboxItem>;
  remove(): Promise<void>;
}

/** Orchestrators that accept finished work unless their script says otherwise: most tests are about something else. */
const willing = (script: Script): Script => ({
  ...script,
  routes: Object.fromEntries(
    Object.entries(script.routes).map(([role, scenes]) => [
      role,
      role.startsWith("O-") && !scenes.includes(acceptsMergeRequests)
        ? [...scenes, acceptsMergeRequests]
        : scenes,
    ]),
  ),
});

interface FixtureOptions {
  readonly script?: Script;
  /** Works on a copy of a bundled example, by its script. */
  readonly rehearsal?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** Works in this repository of somebody who uses Git, and not in one of jj's. */
  readonly git?: GitRepository;
  /** Default: all there is. */
  readonly workflow?: TestWorkflow;
  readonly faults?: readonly Fault[];
  readonly apiKey?: string;
  readonly pace?: number;
  /** How long a silent model is waited for. Default: longer than anything that works can take (60 s). */
  readonly idleMs?: number;
  /** Tokens; default: the models' own. */
  readonly contextWindow?: number;
  readonly sandbox?: () => Promise<Sandbox>;
  readonly allowUnsandboxed?: () => Promise<void>;
  /** What no agent may be told or print. */
  readonly secrets?: readonly string[];
  readonly now?: () => number;
  readonly monotonic?: () => number;
  /** Default: results land on local branches only. */
  readonly forges?: Forges;
  /** Machines that offer places. Default: there are none. */
  readonly places?: ConnectedMachines;
  /** Stands between the engine and its journal, or its repository, to break them. */
  readonly openJournal?: EngineOptions["openJournal"];
  readonly around?: (repository: Repository) => Repository;
}

/** `openFixture` for one test, at whose end it is removed. */
export async function createFixture(options?: FixtureOptions): Promise<Fixture> {
  const fixture = await openFixture(options);
  onTestFinished(() => fixture.remove());
  return fixture;
}

/** A real repository, the real wire and sandbox, and a model whose words are scripted. */
export async function openFixture(options: FixtureOptions = {}): Promise<Fixture> {
  const files = options.files ?? exampleFiles;
  const repo = options.git
    ? await openInGitRepository(options.git)
    : await createTestRepository({ files: withDefaultConfig(files, options.workflow), hasMain: true });
  const standIn = await startStandIn({
    script: willing(options.script ?? (options.rehearsal ? rehearsalScript(options.rehearsal) : threeAgents)),
    pace: options.pace ?? 0,
    ...(options.faults ? { faults: options.faults } : {}),
  });
  const facts = modelFacts(loadPriceTable());
  const stateFolder = join(repo.folder, "state");
  let ids = 0;
  let isRemoved = false;
  /** Null while it is closed. */
  let openEngine: Engine | null = null;
  /** Looks at all cards of the engine that is open. */
  let considerAgain: () => unknown = () => undefined;
  let apiKey = options.apiKey ?? standIn.apiKey;
  let repository = repo.repository;
  if (options.rehearsal) {
    const folder = join(repo.folder, "rehearsal");
    await prepareRehearsal(options.rehearsal, folder);
    await repository.close();
    repository = await openRepository(folder);
  }
  let { root } = repository;
  await trustConfigFile({ root, stateFolder });
  const sandbox =
    options.sandbox ??
    (() =>
      createSandbox({
        allowUnsandboxed: false,
        repository: root,
        readable: [sharedHistoryFolder(stateFolder)],
        ...(options.secrets ? { secrets: options.secrets } : {}),
      }));
  const answered = new Set<string>();
  const beingGiven = new Set<Promise<unknown>>();
  const close = async (): Promise<void> => {
    openEngine = null;
    await fixture.engine.close();
    // An answer that is checked meanwhile reads the repository.
    await Promise.allSettled(beingGiven);
    await repository.close();
  };

  const open = async (): Promise<Engine> => {
    const engine = await createEngine({
      repository: options.around?.(repository) ?? repository,
      ...(options.openJournal ? { openJournal: options.openJournal } : {}),
      stateFolder,
      settings: () => fixture.settings,
      driverFor: async () =>
        createAnthropicDriver({
          apiKey,
          baseUrl: standIn.url,
          scheduler: createRateLimit({ firstTryMs: 100 }),
          models: (model) =>
            options.contextWindow === undefined
              ? facts(model)
              : { ...facts(model), contextWindow: options.contextWindow },
          // Only what hangs for good: this process also speaks for the model, and may be kept from it for long.
          idleMs: options.idleMs ?? 60_000,
          backoffMs: 5,
          attempts: 3,
          isScripted: true,
          name: "rehearsal",
        }),
      endpointFor: async () => ({
        baseUrl: standIn.url,
        apiKey,
        scheduler: createRateLimit({ firstTryMs: 100 }),
      }),
      sandbox,
      ...(options.forges ? { forges: options.forges } : {}),
      ...(options.places ? { places: options.places } : {}),
      ...(options.secrets ? { secrets: () => options.secrets ?? [] } : {}),
      ...(options.allowUnsandboxed ? { allowUnsandboxed: options.allowUnsandboxed } : {}),
      now: options.now ?? (() => Date.now()),
      ...(options.monotonic ? { monotonic: options.monotonic } : {}),
      newId: () => `${process.pid.toString(36)}${Date.now().toString(36)}${(ids++).toString(36)}`,
    });
    const consider = (items: readonly InboxItem[]) => {
      for (const item of items) {
        const answer = fixture.answers[item.kind];
        if (!answer || answered.has(item.nonce)) continue;
        answered.add(item.nonce);
        void (async () => {
          const decision = await answer(item);
          if (!decision) return;
          const given = fixture.execute("inbox.answer", { ...item, decision });
          beingGiven.add(given);
          try {
            await given;
          } catch (error) {
            if (engine === openEngine) {
              // What it is about has changed meanwhile: the card comes again, as it is now.
              if (error instanceof StaleAnswer) return;
              throw error;
            }
            // It was closed before the answer counted: the card is answered in the next one.
            answered.delete(item.nonce);
            considerAgain();
          } finally {
            beingGiven.delete(given);
          }
        })();
      }
    };
    const considerSoon = (items: () => readonly InboxItem[]) =>
      setImmediate(() => engine === openEngine && consider(items()));
    engine.listen((event) => {
      if (event.kind === "run" || event.kind === "run-update") {
        fixture.stream.push(event);
        const id = event.kind === "run" ? event.run.id : event.update.run;
        const { run, otherRuns } = engine.state();
        const view = [run, ...otherRuns.map((one) => one.run)].find((one) => one?.id === id);
        if (view) fixture.events.push({ kind: "run", run: view });
      } else fixture.events.push(event);
      if (event.kind === "inbox") considerSoon(() => event.items);
    });
    openEngine = engine;
    considerAgain = () => considerSoon(() => engine.state().inbox);
    considerAgain();
    return engine;
  };

  const fixture: Fixture = {
    repo,
    get root() {
      return root;
    },
    standIn,
    engine: undefined as unknown as Engine,
    events: [],
    stream: [],
    settings: { ...defaultSettings, maxParallelAgents: 3 },
    answers: agreeable,
    useKey(key) {
      apiKey = key;
    },
    configure: (text) => changeConfigFile({ root, stateFolder }, () => text),
    closings: [],
    async reopen(meanwhile) {
      await close();
      root = (await meanwhile?.())?.root ?? root;
      repository = await openRepository(root);
      fixture.closings.push(standIn.requests().length);
      fixture.engine = await open();
    },
    execute(name, ...[input]) {
      const { engine } = fixture;
      const run = engine.state().run?.id ?? null;
      const execute: (name: never, input: never) => Promise<unknown> = engine.execute;
      return execute(
        name as never,
        withFields(name, input, { repository: null, run }) as never,
      ) as Promise<never>;
    },
    async start(over = {}) {
      const { run } = await fixture.engine.execute("run.start", {
        goal: "Keep users",
        orchestrators: null,
        onto: null,
        rehearsal: null,
        model: "claude-sonnet-5-5",
        ...over,
      });
      return run;
    },
    until: (condition, ms) => waitForRun(fixture, condition, ms),
    async card(kind) {
      await fixture.until((_, inbox) => inbox.some((item) => item.kind === kind));
      const found = fixture.engine.state().inbox.find((item) => item.kind === kind);
      if (!found) throw new Error(`No card of kind ${kind}.`);
      return found;
    },
    async remove() {
      if (isRemoved) return;
      isRemoved = true;
      await close();
      await standIn.close();
      await repo.remove();
      await rm(stateFolder, { recursive: true, force: true });
    },
  };
  fixture.engine = await open();
  return fixture;
}

/** All that the agents made is brought together; what comes then is the same for every run, and takes a third of its time. */
export const isJoined = (run: RunView): boolean =>
  ["validating", "learning", "landing", "complete"].includes(run.stage);

export const over = (run: Pick<RunView, "stage">): boolean =>
  ["complete", "failed", "stopped"].includes(run.stage);
