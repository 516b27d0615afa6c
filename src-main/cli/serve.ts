import { resolve } from "node:path";
import { defaultStateFolder } from "../config/state-folder.ts";
import { rehearsalPace } from "../rehearsal-pace.ts";
import { runHeadless } from "../serving.ts";
import { type CommonOptions, type ExitCode, exitCode, invocationFolder } from "./command-line.ts";
import { print, printJson } from "./output.ts";

export interface ServeOptions extends CommonOptions {
  readonly port?: number;
  readonly state?: string;
  readonly takeOver?: boolean;
}

export async function serve(options: ServeOptions): Promise<ExitCode> {
  await runHeadless({
    port: options.port ?? 0,
    stateFolder:
      options.state === undefined ? defaultStateFolder() : resolve(invocationFolder(), options.state),
    takeOver: options.takeOver ?? false,
    folder: options.repo === undefined ? null : resolve(invocationFolder(), options.repo),
    window: false,
    rehearsalPace: rehearsalPace(),
    print: options.json ? (line) => printJson({ kind: "line", text: line.trim() }) : print,
  });
  return exitCode.done;
}
