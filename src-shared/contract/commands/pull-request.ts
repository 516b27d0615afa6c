import { z } from "zod";
import { changeId, line } from "../fields.ts";
import { activeRunCommand, answers, nothing, runCommand } from "./command.ts";

/** A branch of a run against what it goes to. */
export interface BranchState {
  readonly branch: string;
  readonly base: string;
  /** Commits that only the one or only the other has, as last fetched. */
  readonly ahead: number;
  readonly behind: number;
  /** Files in conflict. */
  readonly conflicts: readonly string[];
}

const branch = line(400).min(1);
const thread = line(400).min(1);
const words = z.string().trim().min(1).max(20_000);

/** The user's commands for what a run has published on a forge. */
export const pullRequestCommands = {
  /** Of the result, or of each pull request that is not merged, the bottom first. */
  "pullRequest.branches": runCommand({}, answers<readonly BranchState[]>()),
  /** Fetches the base and looks at the forge now. Ends when it has been looked at. */
  "pullRequest.look": activeRunCommand({}, nothing),
  /** Begins a thread on the line as it was pushed. The words go to the forge as they are. */
  "pullRequest.comment": activeRunCommand(
    { changeId, path: z.string().min(1).max(4096), line: z.number().int().min(1), text: words },
    answers<{ number: number }>(),
  ),
  "pullRequest.reply": activeRunCommand({ branch, thread, text: words }, nothing),
  "pullRequest.resolve": activeRunCommand({ branch, thread, isResolved: z.boolean() }, nothing),
  /** Reopens the task for a thread, or (null) for its failed checks. Returns whose; null: the integrator's. */
  "pullRequest.reopen": activeRunCommand(
    { branch, thread: thread.nullable() },
    answers<{ worker: string | null }>(),
  ),
};
