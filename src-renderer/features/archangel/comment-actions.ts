import type { CommentView } from "#shared/contract/views/archangel.ts";
import { client } from "../../client.ts";
import type { Action } from "../../registry/action.ts";
import { commentsOfRun, isOpen, showComment } from "../../state/comments.ts";
import { useHost } from "../../state/host-store.ts";
import { attempt, notify } from "../../state/notice-store.ts";
import { openDialog } from "../../state/selection-store.ts";

/** Whether there is somebody to send it to. */
export const canBeSent = ({ worker, sentTo }: CommentView): boolean => worker !== null && sentTo === null;

export async function sendComment(comment: CommentView): Promise<void> {
  await attempt("The comment was not sent", async () => {
    const { worker } = await client.comment.send({ comment: comment.id });
    notify("info", `Sent to ${worker}, as material to judge.`);
  });
}

export const resolveComment = (comment: CommentView, isResolved: boolean): Promise<boolean> =>
  attempt(isResolved ? "The comment was not resolved" : "The comment was not opened again", () =>
    client.comment.resolve({ comment: comment.id, isResolved }),
  );

export const replyTo = (comment: CommentView, text: string): Promise<boolean> =>
  attempt("The reply was not sent", () => client.comment.reply({ comment: comment.id, text }));

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

/** One of the four that come with Hox, or another one by its name: on and off. */
const switchAction = (isOn: boolean): Action => ({
  id: isOn ? "archangel-on" : "archangel-off",
  title: isOn ? "Archangels: switch on…" : "Archangels: switch off…",
  group: "Run",
  words: "reviewer background plan keeper security tests simplicity",
  available: () => useHost.getState().repository !== null,
  run: () => openDialog("settings"),
});

export const commentActions: readonly Action[] = [
  {
    id: "next-comment",
    title: "Comments: show the next open one",
    group: "Go",
    keys: "shift+c",
    words: "archangel reviewer remark line",
    available: () => openComments().length > 0,
    run: showNext,
  },
  switchAction(true),
  switchAction(false),
];
