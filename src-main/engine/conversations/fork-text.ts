/** Prompt texts for a fork, in addition to its caller's history. */
import { type PromptText, prompt, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import type { Config } from "../../config/config-interface.ts";

const ofClones = promptLine`[FORK] You are a clone of the conversation above: you know what it knows, and from here on you do one task for it. It waits for you. Your last message, or the summary of report_done, is your answer to it.
You work in the same files, within the same rules and on the same budget. Other forks of it may work in parallel: a file that one of them is writing is refused, with its name.
What speaks for your caller stays with it: you do not ask questions, note things or report its task as done. Say in your answer what it should know.`;

/** Everything after the prefix that a clone shares with its caller to the byte. (HIVE-5) */
export const cloneInstructions = (hive: Config["hive"], task: string): PromptText =>
  prompt(
    ofClones,
    section("Added to your instructions", [quoteText(hive.cloneSyspromptFollowup ?? "")]),
    section("Your task as a clone", [
      quoteText([hive.cloneUserpromptPrefix ?? "", task].filter((part) => part.trim() !== "").join("\n\n")),
    ]),
  );

/** A named agent starts fresh: this is all it receives in addition to its file, the system prompt. */
export const namedTask = (caller: string, task: string): PromptText =>
  prompt(
    promptLine`[FORK] ${caller} gives you one task and waits for you. Your last message is your answer to it.`,
    section("Task", [quoteText(task)]),
  );
