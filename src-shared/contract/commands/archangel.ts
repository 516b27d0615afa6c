import { z } from "zod";
import { changeId, line } from "../fields.ts";
import type { ArchangelView, IdeaView } from "../views/archangel.ts";
import { answers, nothing, toRun } from "./command.ts";

const id = line(200).min(1);
const ofComment = z.strictObject({ comment: id });
const words = z.string().trim().min(1).max(20_000);

/** The user's commands for background reviewers and their comments. */
export const archangelCommands = {
  /** Configured and built-in ones, with or without an active run. */
  "archangel.list": toRun(nothing, answers<readonly ArchangelView[]>()),
  /** Writes it to the repository's settings; everything else in the file stays as it is. */
  "archangel.switch": toRun(z.strictObject({ name: line(40).min(1), isOn: z.boolean() }), nothing),
  /** Starts a run that only reviews sessions outside Hox, or ends the active one. */
  "archangel.watch": toRun(z.strictObject({ isOn: z.boolean() }), nothing),
  /**
   * A comment of the user on a line of a change, or on a file (null). To its agent or its orchestrator it is
   * sent as a message; for the review it waits for a reviewer.
   */
  "comment.write": toRun(
    z.strictObject({
      changeId,
      path: z.string().min(1).max(4096),
      line: z.number().int().min(1).nullable(),
      text: words,
      to: z.enum(["agent", "orchestrator", "review"]),
    }),
    answers<{ comment: string }>(),
  ),
  /** Wakes the archangel, which may answer. */
  "comment.reply": toRun(ofComment.extend({ text: words }), nothing),
  "comment.resolve": toRun(ofComment.extend({ isResolved: z.boolean() }), nothing),
  /** Sends it to its agent, as information. Returns the recipient. Idempotent. */
  "comment.send": toRun(ofComment, answers<{ worker: string }>()),

  /** The newest first. */
  "ideas.list": toRun(nothing, answers<readonly IdeaView[]>()),
  "ideas.add": toRun(z.strictObject({ text: words }), answers<IdeaView>()),
  "ideas.remove": toRun(z.strictObject({ id }), nothing),
};
