import { z } from "zod";
import type { ArchangelView } from "../../domain/archangel/archangel.ts";
import { changeId, line } from "../fields.ts";
import { activeRunCommand, answers, nothing, repositoryCommand, runCommand, runId } from "./command.ts";

const id = line(200).min(1);
const ofComment = { comment: id };
const words = z.string().trim().min(1).max(20_000);

/** A goal for later, kept for the repository and not in it. */
export interface IdeaView {
  readonly id: string;
  readonly text: string;
  readonly context: string;
  readonly files: readonly string[];
  /** The archangel that suggested it; null: the user. */
  readonly from: string | null;
  readonly at: number;
  /** The run that began from it last; null: none did. */
  readonly run: string | null;
}

/** The user's commands for background reviewers and their comments. */
export const archangelCommands = {
  /** Those that the file names and those that come with Hox, as they are in an active run; null: in none. */
  "archangel.list": repositoryCommand({ run: runId.nullable() }, answers<readonly ArchangelView[]>()),
  /** Writes it to the repository's settings; everything else in the file stays as it is. */
  "archangel.switch": repositoryCommand({ name: line(40).min(1), isOn: z.boolean() }, nothing),
  /** Starts a run that only reviews sessions outside Hox, or ends the active one. */
  "archangel.watch": repositoryCommand({ isOn: z.boolean() }, nothing),
  /**
   * A comment of the user on a line of a change, or on a file (null). To its agent or its orchestrator it is
   * sent as a message; for the review it waits for a reviewer.
   */
  "comment.write": activeRunCommand(
    {
      changeId,
      path: z.string().min(1).max(4096),
      line: z.number().int().min(1).nullable(),
      text: words,
      to: z.enum(["agent", "orchestrator", "review"]),
    },
    answers<{ comment: string }>(),
  ),
  /** Wakes the archangel, which may answer. */
  "comment.reply": activeRunCommand({ ...ofComment, text: words }, nothing),
  "comment.resolve": runCommand({ ...ofComment, isResolved: z.boolean() }, nothing),
  /** Sends it to its agent, as information. Returns the recipient. Idempotent. */
  "comment.send": activeRunCommand(ofComment, answers<{ worker: string }>()),

  /** The newest first. */
  "ideas.list": repositoryCommand({}, answers<readonly IdeaView[]>()),
  "ideas.add": repositoryCommand({ text: words }, answers<IdeaView>()),
  "ideas.remove": repositoryCommand({ id }, nothing),
};
