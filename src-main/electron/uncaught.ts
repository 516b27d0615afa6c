import { app } from "electron";
import { askAboutProblem } from "./problem-dialog.ts";

/**
 * A defect outside of every task is said and not hidden, and one at a time. Electron's own box would stop host and agents
 * until somebody clicks; ending instead would stop them without a word.
 */
export function goOnAfterDefects(): void {
  let isAsking = false;
  process.on("uncaughtException", async (error) => {
    console.error("Hox: a mistake of Hox that nobody caught:", error);
    if (!app.isReady()) app.exit(1);
    if (isAsking) return;
    isAsking = true;
    const answer = await askAboutProblem({
      message: `Something in Hox failed: ${error.message}`,
      remedy:
        "Agents go on. Quit and start Hox again when it behaves oddly: everything is saved, and a run goes on where it was. Please report this.",
      buttons: ["Go on", "Quit Hox"],
    });
    isAsking = false;
    if (answer === 1) app.quit();
  });
}
