import { type BrowserWindow, dialog } from "electron";
import { log } from "../log/log.ts";

export interface Problem {
  readonly message: string;
  readonly remedy: string;
  /** The choices, the usual one first. */
  readonly buttons: readonly [string, ...string[]];
  /** Takes the dialog away again: it is over without a click. */
  readonly signal?: AbortSignal;
}

/**
 * Shows a problem outside of the page and returns the number of the button. Host and agents keep running
 * meanwhile, unlike with `dialog.showErrorBox`.
 */
export async function askAboutProblem(
  problem: Problem,
  window: BrowserWindow | null = null,
): Promise<number> {
  console.error(`Hox: ${problem.message} ${problem.remedy}`);
  log.error("problem shown", { problem: problem.message });
  const options = {
    type: "error" as const,
    title: "Hox",
    message: problem.message,
    detail: problem.remedy,
    buttons: [...problem.buttons],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
    ...(problem.signal ? { signal: problem.signal } : {}),
  };
  const { response } =
    window === null || window.isDestroyed()
      ? await dialog.showMessageBox(options)
      : await dialog.showMessageBox(window, options);
  return response;
}
