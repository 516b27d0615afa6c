/** Conversations on a forge as comments on lines, so that both are one thing wherever comments are shown. */
import type { CommentView } from "../archangel/archangel-records.ts";
import { isMerged, type Publication, type PublishedPart, type SeenThread } from "./publication.ts";

/**
 * The threads of what is published, each as a comment on the change that its line comes from.
 *
 * @param changeOf the change of a worker's task; null: of nobody's
 * @param integration the change that holds everything
 * @returns none of what is merged, which is history; authors have an `@` before their names, as no reviewer of Hox has
 */
export const threadComments = (
  { parts }: Publication,
  changeOf: (worker: string) => string | null,
  integration: string | null,
): readonly CommentView[] =>
  parts
    .filter((part) => !isMerged(part))
    .flatMap((part) =>
      (part.seen?.threads ?? []).flatMap((thread) => {
        const worker = thread.worker ?? part.worker;
        return commentOf(part, thread, (worker === null ? null : changeOf(worker)) ?? integration);
      }),
    );

function commentOf(
  { branch, commit, pullRequest }: PublishedPart,
  thread: SeenThread,
  changeId: string | null,
): readonly CommentView[] {
  const [first, ...replies] = thread.comments;
  if (first === undefined || pullRequest === null) return [];
  const { id, file, line, lineText, isResolved, worker, addressedIn, url } = thread;
  return [
    {
      id: `thread/${branch}/${id}`,
      archangel: `@${first.author}`,
      ...{ worker, changeId, commit, path: file, line, lineText, text: first.text },
      ...{ relation: "remark", step: null, at: first.at, isResolved, isOutdated: false, sentTo: worker },
      replies: replies.map(({ author, text, at }) => ({ by: `@${author}`, text, at })),
      thread: { id, branch, number: pullRequest.number, url: url ?? pullRequest.url, addressedIn },
    },
  ];
}
