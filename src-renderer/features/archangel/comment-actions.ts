import { archangelPresets } from "#shared/domain/archangel/archangel.ts";
import type { CommentView } from "#shared/domain/archangel/archangel-records.ts";
import { client } from "../../client.ts";
import type { Action } from "../../registry/action.ts";
import { commentsOfRun, isOpen, showComment } from "../../state/comments.ts";
import { hasRepository, useHost } from "../../state/host-store.ts";
import { attempt, notify } from "../../state/notify.ts";
import { openDialog } from "../../state/selection-store.ts";

/** Whether there is a worker to send it to. A thread of a forge can be given to its agent again. */
export const canBeSent = ({ worker, sentTo, thread }: CommentView): boolean =>
  thread !== undefined || (worker !== null && sentTo === null);

export async function sendComment(comment: CommentView): Promise<void> {
  const { thread } = comment;
  if (thread) {
    await attempt("The task was not reopened", async () => {
      const { branch, id } = thread;
      const { worker } = await client.pullRequest.reopen({ branch, thread: id });
      notify("info", `Reopened for ${worker ?? "the integrator"}.`);
    });
    return;
  }
  await attempt("The comment was not sent", async () => {
    const { worker } = await client.comment.send({ comment: comment.id });
    notify("info", `Sent to ${worker} as feedback to consider.`);
  });
}

export const resolveComment = (comment: CommentView, isResolved: boolean): Promise<boolean> =>
  attempt(isResolved ? "The comment was not resolved" : "The comment was not reopened", () =>
    comment.thread
      ? client.pullRequest.resolve({ branch: comment.thread.branch, thread: comment.thread.id, isResolved })
      : client.comment.resolve({ comment: comment.id, isResolved }),
  );

export const replyTo = (comment: CommentView, text: string): Promise<boolean> =>
  attempt("The reply was not sent", () =>
    comment.thread
      ? client.pullRequest.reply({ branch: comment.thread.branch, thread: comment.thread.id, text })
      : client.comment.reply({ comment: comment.id, text }),
  );

const openComments = (): readonly CommentView[] => commentsOfRun(useHost.getState().run).filter(isOpen);

/** The one that was shown last; the next time the one after it comes. */
let last: string | null = null;

function showNext(): void {
  const all = openComments();
  const next = all[all.findIndex(({ id }) => id === last) + 1] ?? all[0];
  if (next === undefined) return;
  last = next.id;
  showComment(next);
}

/** One that comes with Hox, on or off; while a run shows which it is, only the other one is offered. */
const switchAction = (name: string, isOn: boolean): Action => ({
  id: `archangel-${name}-${isOn ? "on" : "off"}`,
  title: `Archangel ${name}: switch ${isOn ? "on" : "off"}`,
  group: "Run",
  command: "archangel.switch",
  words: "reviewer background comments",
  available: () =>
    useHost.getState().run?.archangels?.some((one) => one.name === name && one.isOn !== isOn) ?? false,
  run: () =>
    void attempt(`${name} was not switched ${isOn ? "on" : "off"}`, () =>
      client.archangel.switch({ name, isOn }),
    ),
});

export const commentActions: readonly Action[] = [
  {
    id: "next-comment",
    title: "Go to the next open comment",
    group: "Go",
    keys: "shift+c",
    words: "archangel reviewer remark line",
    available: () => openComments().length > 0,
    run: showNext,
  },
  {
    id: "archangels",
    title: "Archangels…",
    group: "Run",
    words: "reviewer background switch plan keeper security tests simplicity",
    available: hasRepository,
    run: () => openDialog("settings"),
  },
  ...Object.keys(archangelPresets).flatMap((name) => [switchAction(name, true), switchAction(name, false)]),
];
