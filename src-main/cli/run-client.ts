/** The run of a repository for a terminal: through the endpoint of the host that works on it, else directly. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ORPCError } from "@orpc/client";
import { RPCLink } from "@orpc/client/fetch";
import type { InboxItem } from "#shared/contract/cards.ts";
import type {
  CommandArguments,
  CommandOutput,
  EndpointCommandName,
  EngineCommandName,
} from "#shared/contract/commands.ts";
import { type EndpointFile, endpointFile, endpointPath } from "#shared/contract/local-endpoint.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import type { WorkerView } from "#shared/contract/views/worker.ts";
import { nearestWord } from "#shared/domain/text/nearest-word.ts";
import { lockRepository } from "../api/repository-lock.ts";
import { defaultStateFolder, repositoryStateFolder } from "../config/state-folder.ts";
import { CommandError, type CommonOptions, exitCode } from "./command-line.ts";
import { type Asking, openInactive } from "./inactive-engine.ts";
import { withRepository } from "./repository.ts";

/** What a person may do to a run from a terminal. The same commands whether a host works on it or not. */
export interface RunClient {
  state(): Promise<{ readonly run: RunView | null; readonly inbox: readonly InboxItem[] }>;
  /** @param name a row of `contract/commands.ts` that terminals may give */
  execute<Name extends EngineCommandName & EndpointCommandName>(
    name: Name,
    ...input: CommandArguments<Name>
  ): Promise<CommandOutput<Name>>;
  /** A host works on the repository: what is said is done at once. Else it is kept for the next `hox run`. */
  readonly isLive: boolean;
}

/** Reaches the run of the repository of `--repo` for one command. */
export function withRunClient<T>(
  options: CommonOptions,
  task: (client: RunClient) => Promise<T>,
  /** Who answers for models where no host works on the repository. Default: none is asked. */
  asking?: () => Promise<Asking>,
): Promise<T> {
  return withRepository(options, async (repository) => {
    const stateFolder = repositoryStateFolder(defaultStateFolder(), repository.root);
    const answer = lockRepository(stateFolder);
    if (!answer.held) return task(await throughEndpoint(stateFolder, answer.by));
    try {
      return await openInactive(
        repository,
        stateFolder,
        (engine) =>
          task({
            isLive: false,
            state: async () => engine.state(),
            execute: (name, ...input) => engine.execute(name, ...input),
          }),
        await asking?.(),
      );
    } finally {
      answer.lock.release();
    }
  });
}

/** The worker of a name, or an error that names the nearest one. */
export function workerNamed(run: RunView | null, name: string): WorkerView {
  const found = run?.workers.find((worker) => worker.name === name);
  if (found) return found;
  if (!run) throw new CommandError("There is no run here.", 'Start one: hox run --goal "…"');
  const names = run.workers.filter((worker) => worker.replacedBy === null).map((worker) => worker.name);
  const near = nearestWord(name, names);
  throw new CommandError(
    `Nobody in this run is called ${name}.`,
    `${near ? `Did you mean ${near}? ` : ""}There is: ${names.join(", ") || "nobody yet"}.`,
    exitCode.usage,
  );
}

async function throughEndpoint(stateFolder: string, by: string): Promise<RunClient> {
  const file = await endpointIn(stateFolder);
  if (!file)
    throw new CommandError(
      `Another Hox works on this repository (${by}), and its door is shut.`,
      "It may just be starting or ending: try again. An older Hox has no door: steer in its window.",
    );
  const link = new RPCLink({
    url: `http://127.0.0.1:${file.port}${endpointPath}`,
    headers: () => ({ authorization: `Bearer ${file.secret}` }),
  });
  /** What the host refuses comes with its remedy; a host that ended meanwhile is said in words. */
  const call = async <Name extends EndpointCommandName>(
    name: Name,
    ...[input]: CommandArguments<Name> | []
  ): Promise<CommandOutput<Name>> => {
    try {
      return (await link.call(name.split("."), input, { context: {} })) as CommandOutput<Name>;
    } catch (error) {
      if (error instanceof ORPCError) {
        const { remedy } = (error.data ?? {}) as { readonly remedy?: unknown };
        throw new CommandError(error.message, typeof remedy === "string" ? remedy : null);
      }
      throw new CommandError(
        `The Hox that works on this repository (${by}) does not answer: ${(error as Error).message}`,
        "It may just have ended: try again.",
      );
    }
  };
  return { isLive: true, state: () => call("run.state"), execute: call };
}

async function endpointIn(stateFolder: string): Promise<EndpointFile | null> {
  try {
    return JSON.parse(await readFile(join(stateFolder, endpointFile), "utf8")) as EndpointFile;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
