import { remedyOf } from "#shared/domain/text/remedied-error.ts";
import { runSandbox } from "../../api/start-engine.ts";
/** The run of a repository for a terminal: through the endpoint of the host that works on it, else directly. */

import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ORPCError } from "@orpc/client";
import { RPCLink } from "@orpc/client/fetch";
import type { InboxItem } from "#shared/contract/cards.ts";
import type {
  CommandOutput,
  EndpointCommandName,
  EngineArguments,
  EngineCommandName,
} from "#shared/contract/commands.ts";
import { type EndpointFile, endpointFile, endpointPath } from "#shared/contract/loopback.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { lockRepository } from "../../api/repository-lock.ts";
import { keepStatusFile } from "../../api/status-file.ts";
import { defaultSettings } from "../../config/settings.ts";
import { createEngine } from "../../engine/engine.ts";
import type { Engine, EngineOptions } from "../../engine/engine-interface.ts";
import type { Repository } from "../../jj/ports/repository-interface.ts";
import { isOwnedByUs } from "../../transport/serving-note.ts";
import { CommandError, type CommonOptions, exitCode } from "../command-line.ts";
import { printError } from "../output.ts";
import { stateFolderOf, withRepository } from "../repository.ts";

/** Control of a run from a terminal. The same commands with and without a running host. */
export interface RunClient {
  /**
   * The run that --run names; else the one in which the worker of this name is, else the only one.
   * @throws CommandError where it could be one of several
   */
  state(worker?: string): Promise<{ readonly run: RunView | null; readonly inbox: readonly InboxItem[] }>;
  /** The same run, for a command about it. @throws CommandError where there is none */
  run(worker?: string): Promise<RunView>;
  /** Cards that wait for the user, of all runs. */
  inbox(): Promise<readonly InboxItem[]>;
  /** @param name a row of `contract/commands.ts` that terminals may give */
  execute<Name extends EngineCommandName & EndpointCommandName>(
    name: Name,
    ...input: EngineArguments<Name>
  ): Promise<CommandOutput<Name>>;
  /**
   * A host works on the repository, so commands are executed at once. Otherwise they are stored for the next
   * `hox run`.
   */
  readonly isLive: boolean;
  /** Of the repository. */
  readonly stateFolder: string;
}

/** Reaches the run of the repository of `--repo` for one command. */
export function withRunClient<T>(
  options: CommonOptions,
  task: (client: RunClient) => Promise<T>,
  /** Who answers for models where no host works on the repository. Default: none is asked. */
  asking?: () => Promise<Asking>,
): Promise<T> {
  return withRepository(options, async (repository) => {
    const stateFolder = stateFolderOf(repository.root);
    const answer = lockRepository(stateFolder);
    if (!answer.isAcquired) return task(await throughEndpoint(stateFolder, answer.by, options.run));
    try {
      return await openInactive(
        repository,
        stateFolder,
        (engine) =>
          task({
            isLive: false,
            stateFolder,
            ...clientRuns(async () => {
              const { run, otherRuns, inbox } = engine.state();
              return { run, inbox, otherRuns: otherRuns.map((one) => one.run) };
            }, options.run),
            inbox: async () => engine.state().inbox,
            execute: engine.execute,
          }),
        await asking?.(),
      );
    } finally {
      answer.lock.release();
    }
  });
}

/** The run as it was left, without beginning anything of it. Nobody else may have the repository. */
export async function withInactiveEngine<T>(
  repository: Repository,
  /** What to do where another host has the repository. */
  elsewhere: string,
  task: (engine: Engine) => Promise<T>,
): Promise<T> {
  const stateFolder = stateFolderOf(repository.root);
  const answer = lockRepository(stateFolder);
  if (!answer.isAcquired)
    throw new CommandError(`Another Hox process (${answer.by}) has this repository open.`, elsewhere);
  try {
    return await openInactive(repository, stateFolder, task);
  } finally {
    answer.lock.release();
  }
}

/** Who answers model requests outside runs. */
export type Asking = Pick<EngineOptions, "driverFor" | "secrets" | "settings">;

const asksNobody: Asking = {
  settings: () => defaultSettings,
  driverFor: () => Promise.reject(new CommandError("This command does not use a model.")),
};

/**
 * The same for the owner of the lock. No model is called unless `asking` is given; only checks run commands,
 * at the user's request.
 */
async function openInactive<T>(
  repository: Repository,
  stateFolder: string,
  task: (engine: Engine) => Promise<T>,
  asking: Asking = asksNobody,
): Promise<T> {
  const engine = await createEngine({
    repository,
    stateFolder,
    ...asking,
    sandbox: (config) =>
      runSandbox(config, {
        ...{ root: repository.root, stateFolder },
        allowUnsandboxed: asking.settings().allowUnsandboxed,
        secrets: asking.secrets?.() ?? [],
      }),
    autostart: false,
    now: Date.now,
    newId: randomUUID,
  });
  const status = keepStatusFile(engine, stateFolder);
  engine.listen((event) => {
    if (event.kind === "notice")
      printError(`${shownLine(event.text)}${event.remedy ? ` ${shownLine(event.remedy)}` : ""}`);
  });
  try {
    return await task(engine);
  } finally {
    if (engine.state().run) await status.close();
    await engine.close();
  }
}

async function throughEndpoint(stateFolder: string, by: string, run: string | undefined): Promise<RunClient> {
  const file = await endpointIn(stateFolder);
  if (!file)
    throw new CommandError(
      `Another Hox process (${by}) has this repository open and is not accepting commands.`,
      "It may be starting or shutting down: try again, or use its window.",
    );
  const link = new RPCLink({
    url: `http://127.0.0.1:${file.port}${endpointPath}`,
    headers: () => ({ authorization: `Bearer ${file.secret}` }),
  });
  /** The host's refusals have a remedy; a host that ended meanwhile is reported. */
  const call = async <Name extends EndpointCommandName>(
    name: Name,
    input: object = {},
  ): Promise<CommandOutput<Name>> => {
    try {
      const given = { ...input, repository: file.repository };
      return (await link.call(name.split("."), given, { context: {} })) as CommandOutput<Name>;
    } catch (error) {
      if (error instanceof ORPCError) throw new CommandError(error.message, remedyOf(error.data ?? {}));
      throw new CommandError(
        `The Hox process that has this repository open (${by}) does not respond: ${(error as Error).message}`,
        "It may have just exited: try again.",
      );
    }
  };
  return {
    isLive: true,
    stateFolder,
    ...clientRuns(() => call("run.state"), run),
    inbox: async () => (await call("run.state")).inbox,
    execute: (name, ...[input]) => call(name, input),
  };
}

type RunState = CommandOutput<"run.state">;

/** @param named by --run */
function clientRuns(
  read: () => Promise<RunState>,
  named: string | undefined,
): Pick<RunClient, "state" | "run"> {
  const state = async (worker?: string): Promise<RunState> => chosen(await read(), named, worker);
  return {
    state,
    async run(worker) {
      const { run } = await state(worker);
      if (run) return run;
      throw noRun();
    },
  };
}

const noRun = (): CommandError =>
  new CommandError("No run in this repository.", 'Start one: hox run --goal "…"');

/** A run's name in a terminal. */
export const runLabel = ({ root, goal }: RunView): string => `${root} "${shownLine(startOf(goal, 80))}"`;

/** Every run that an engine has, the newest last. */
export const runsIn = ({ run, otherRuns }: ReturnType<Engine["state"]>): readonly RunView[] => [
  ...otherRuns.map((one) => one.run),
  ...(run ? [run] : []),
];

/** @param name a root, an id or the beginning of one */
export const isRunNamed = ({ id, root }: RunView, name: string): boolean =>
  id === name || root === name || (name.length >= 4 && id.startsWith(name));

export const noRunNamed = (name: string, all: readonly RunView[]): CommandError =>
  new CommandError(
    `No active run "${shownLine(startOf(name, 40))}" in this repository.`,
    all.length === 0 ? 'Start one: hox run --goal "…"' : `Active: ${all.map(runLabel).join(", ")}.`,
    exitCode.usage,
  );

function chosen(known: RunState, name: string | undefined, worker: string | undefined): RunState {
  const all = [...(known.run ? [known.run] : []), ...known.otherRuns];
  const going = all.filter(({ endedAt }) => endedAt === null);
  if (name !== undefined) {
    const found = [...going, ...all].find((run) => isRunNamed(run, name));
    if (found) return { ...known, run: found };
    throw noRunNamed(name, all);
  }
  // An address names its orchestrator first.
  const asked = worker?.split("/")[0];
  const having = going.filter(({ workers }) => workers.some((one) => one.name === asked));
  if (having.length === 1) return { ...known, run: having[0] ?? null };
  if (going.length < 2) return known;
  // Without a name, work is meant and not a parallel watch.
  const work = going.filter(({ isWatch }) => !isWatch);
  if (work.length === 1 && worker === undefined) return { ...known, run: work[0] ?? null };
  throw new CommandError(
    worker === undefined
      ? `${going.length} runs are active.`
      : `No agent named ${shownLine(worker)} in an active run.`,
    `Choose one with --run: ${going.map(runLabel).join(", ")}.`,
    exitCode.usage,
  );
}

async function endpointIn(stateFolder: string): Promise<EndpointFile | null> {
  try {
    const file = JSON.parse(await readFile(join(stateFolder, endpointFile), "utf8")) as EndpointFile;
    return (await isOwnedByUs(file)) ? file : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
