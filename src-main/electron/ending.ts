import { app, powerMonitor } from "electron";
import { endedLine } from "#shared/domain/text/format-text.ts";
import { onEndSignal } from "../end-signals.ts";
import { log } from "../log/log.ts";

/** Time limit for saving; after that the next start repairs what was interrupted. */
const endMs = 15_000;

/**
 * Ends in order on every request: the menu, the last window, a signal, a log-out, a shutdown. Call it when
 * the app is ready: Chromium installs its own signal handlers before that.
 */
export function endInOrder(save: () => Promise<void>, endingLine: () => string): void {
  let isEnding = false;
  const begin = (): void => {
    if (isEnding) return;
    isEnding = true;
    const late = setTimeout(() => {
      log.error("saving took too long");
      console.error("Hox: saving took too long. Incomplete data is repaired at the next start.");
      app.exit(1);
    }, endMs);
    save().then(
      () => {
        clearTimeout(late);
        app.exit(0);
      },
      (error: Error) => {
        log.error("not everything was saved", { error });
        console.error(
          `Hox: not everything was saved (${error.message}). Incomplete data is repaired at the next start.`,
        );
        app.exit(1);
      },
    );
  };
  app.on("before-quit", (event) => {
    event.preventDefault();
    begin();
  });
  onEndSignal(
    () => {
      console.error(`Hox: ${endingLine()}`);
      begin();
    },
    (code) => {
      console.error(`Hox: ${endedLine}`);
      app.exit(code);
    },
  );
  // The system waits a few seconds on request.
  powerMonitor.on("shutdown", (...[event]: [{ preventDefault(): void }?]) => {
    event?.preventDefault();
    begin();
  });
  // Windows notifies only windows.
  app.on("browser-window-created", (_event, window) => {
    window.on("query-session-end", begin);
    window.on("session-end", begin);
  });
}
