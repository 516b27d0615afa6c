/** Agents of the profiles rehearsal. */
import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import type { Scene } from "../model/stand-in/script.ts";
import { apiScene } from "./profiles-api.ts";
import { clientScene } from "./profiles-client.ts";
import { paths } from "./profiles-sources.ts";
import { storeScene } from "./profiles-store.ts";
import { done, giveUpOnConflicts, lookAtConflicts, mendConflicts } from "./profiles-wishes.ts";
import { follow, look, type Wish, write } from "./reading.ts";

/** The first new Markdown file that a task may write, with the task's own words: that much a script can do unasked. */
const writeItDown: Wish = ({ seen, written, refused }) => {
  const task = sectionOf(seen.prompt, "Task");
  const path = /^- (\S+\.md)$/mu.exec(task)?.[1];
  if (path === undefined || written.has(path) || refused.has(path)) return null;
  const title = /^\[TASK\] (.+)$/mu.exec(seen.prompt)?.[1] ?? "A task";
  const words = task.split("Files that are yours:")[0]?.trim() ?? "";
  return {
    say: `${path} is mine to write. I put down what the task says.`,
    calls: [write(path, `# ${title}\n${words === "" ? "" : `\n${words}\n`}`)],
  };
};

/** A task that a person added to the plan: the script writes down what it is about, and says that it is a script. */
const otherScene: Scene = {
  name: "another task",
  prompt: "[TASK]",
  optional: true,
  steps: follow(
    look("I look at what is there.", [paths.readme]),
    lookAtConflicts,
    mendConflicts,
    giveUpOnConflicts,
    writeItDown,
    done(
      "This is a rehearsal, and its script knows the tasks API, client and store. Of any other it writes down what it is about, where the task has a Markdown file for that.",
    ),
  ),
};

export const agentScenes: readonly Scene[] = [apiScene, clientScene, storeScene, otherScene];
