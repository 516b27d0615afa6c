import { app } from "electron";
import { askAboutProblem } from "./problem-dialog.ts";

/**
 * A defect outside of every task is said and not hidden, and one at a time. Electron's own box would stop host and agents
 * until somebody clicks; ending instead would stop them without a word.
 */
export function goOnAfterDefects(): void {
  let isAsking = false;
  process.on("uncaughtException", async (error) => {
    console.error("Hox: uncaught internal error:", error);
    if (!app.isReady()) app.exit(1);
    if (isAsking) return;
    isAsking = true;
    const answer = await askAboutProblem({
      message: `Internal error: ${error.message}`,
      remedy:
        "Agents keep running. If Hox behaves oddly, quit and restart it: everything is saved, and runs resume where they were. Please report this.",
      buttons: ["Continue", "Quit Hox"],
    });
    isAsking = false;
    if (answer === 1) app.quit();
  });
}
