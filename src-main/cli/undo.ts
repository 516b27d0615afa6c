import { randomUUID } from "node:crypto";
import type { UndoPreview } from "#shared/contract/views.ts";
import { lockRepository } from "../api/repository-lock.ts";
import { StatusWriter } from "../api/status-file.ts";
import { defaultSettings } from "../config/settings.ts";
import { defaultStateFolder, repositoryStateFolder } from "../config/state-folder.ts";
import { createEngine } from "../engine/engine.ts";
import type { Engine } from "../engine/engine-interface.ts";
import type { Repository } from "../jj/repository-interface.ts";
import {
  CommandError,
  type CommonOptions,
  type ExitCode,
  exitCode,
  plain,
  print,
  printJson,
} from "./command-line.ts";
import { consent } from "./consent.ts";
import { withRepository } from "./repository.ts";

export interface UndoOptions extends CommonOptions {
  readonly yes?: boolean;
  readonly wait?: boolean;
}

/** Takes back the file changes of one agent of a run that nobody works on at this moment. */
export function undo(agent: string, options: UndoOptions): Promise<ExitCode> {
  return withRepository(options, (repository) =>
    withQuietEngine(repository, async (engine) => {
      const preview = await engine.previewUndo(agent);
      if (options.json) printJson({ kind: "preview", ...preview });
      else for (const line of previewLines(preview)) print(line);
      if (preview.refusal) throw new CommandError(preview.refusal.reason, preview.refusal.remedy);
      await consent(options, `Undo the work of ${agent} and of nobody else?`);
      await engine.undoWorker({ worker: agent, afterwards: options.wait ? "wait" : "restart" });
      const view = engine.state().run;
      const over = view?.endedAt !== null;
      if (options.json) printJson({ kind: "undone", worker: agent, changeId: preview.changeId });
      else
        print(
          `Undone.${over ? "" : options.wait ? ` ${agent} waits until it is resumed in the app.` : ` ${agent} begins anew when the run goes on: hox run`}`,
        );
      return exitCode.done;
    }),
  );
}

/** The run as it was left, without beginning anything of it: no model is asked and no command runs. */
async function withQuietEngine<T>(repository: Repository, task: (engine: Engine) => Promise<T>): Promise<T> {
  const stateFolder = repositoryStateFolder(defaultStateFolder(), repository.root);
  const answer = lockRepository(stateFolder);
  if (!answer.held)
    throw new CommandError(
      `Another Hox works on this repository (${answer.by}).`,
      "Undo it there, in the menu of the agent's task; or close it and try again.",
    );
  const never = (): Promise<never> => Promise.reject(new CommandError("This command asks no model."));
  try {
    const engine = await createEngine({
      repository,
      stateFolder,
      settings: () => defaultSettings,
      driverFor: never,
      sandbox: never,
      still: true,
      now: Date.now,
      newId: randomUUID,
    });
    const status = new StatusWriter(stateFolder, () => {
      const { run, inbox } = engine.state();
      return { run, inbox };
    });
    engine.listen((event) => {
      if (event.kind === "notice")
        process.stderr.write(`${plain(event.text)}${event.remedy ? ` ${plain(event.remedy)}` : ""}\n`);
    });
    try {
      return await task(engine);
    } finally {
      if (engine.state().run) await status.close();
      await engine.close();
    }
  } finally {
    answer.lock.release();
  }
}

function previewLines(preview: UndoPreview): readonly string[] {
  const { operationCount: count } = preview;
  return [
    `${preview.worker}: ${plain(preview.title)} (${preview.changeId.slice(0, 12)})`,
    preview.files.length === 0 ? "  it has changed no file" : "  goes back to what it inherits:",
    ...preview.files.map((file) => `    ${file.kind.padEnd(8)} ${plain(file.path)}`),
    `  ${count} ${count === 1 ? "operation" : "operations"} of its own in this run`,
    ...preview.affected.map((one) => `  stands on it: ${plain(one.title)} (${one.changeId.slice(0, 12)})`),
    ...(preview.untouched.length === 0 ? [] : [`  stays as it is: ${preview.untouched.join(", ")}`]),
  ];
}
