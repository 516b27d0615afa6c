import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { lockRepository } from "../api/repository-lock.ts";
import { keepStatusFile } from "../api/status-file.ts";
import { defaultSettings } from "../config/settings.ts";
import { defaultStateFolder, repositoryStateFolder } from "../config/state-folder.ts";
import { createEngine } from "../engine/engine.ts";
import type { Engine, EngineOptions } from "../engine/engine-interface.ts";
import { sharedHistoryFolder } from "../jj/git-view.ts";
import type { Repository } from "../jj/repository-interface.ts";
import { createSandbox } from "../tools/sandbox/sandbox.ts";
import { CommandError } from "./command-line.ts";
import { printError } from "./output.ts";

/** The run as it was left, without beginning anything of it. Nobody else may have the repository. */
export async function withInactiveEngine<T>(
  repository: Repository,
  /** What to do where another host has the repository. */
  elsewhere: string,
  task: (engine: Engine) => Promise<T>,
): Promise<T> {
  const stateFolder = repositoryStateFolder(defaultStateFolder(), repository.root);
  const answer = lockRepository(stateFolder);
  if (!answer.held)
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
export async function openInactive<T>(
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
      createSandbox({
        allowUnsandboxed: asking.settings().allowUnsandboxed,
        ...(asking.secrets ? { secrets: asking.secrets() } : {}),
        protectedFiles: config.protectedFiles,
        hosts: config.sandbox.hosts,
        repository: repository.root,
        readable: [sharedHistoryFolder(stateFolder)],
        logFolder: join(stateFolder, "logs"),
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
