/** What follows from what archangels said: lines are followed, comments sent on, suggestions put before a person. */

import { lineNow } from "#shared/domain/archangel/anchor.ts";
import type { CommentRecord, SuggestionRecord } from "#shared/domain/archangel/archangel-records.ts";
import { type Action, background } from "../../../kernel/feature.ts";
import { addressOf, listenersTo } from "../../../orchestrators/messages.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { archangelNamed } from "./due.ts";
import { latestOf, sendComment } from "./send-comment.ts";
import { putSuggestion } from "./suggestions.ts";

interface PlaceComments extends Action {
  readonly commit: string;
  readonly comments: readonly CommentRecord[];
}

/** Comments on lines whose change was written again since they were placed. */
function toPlace(run: RunReader): readonly PlaceComments[] {
  const moved = run.facts.archangels.comments.flatMap((comment) => {
    const { changeId, lineText, isResolved, placedIn } = comment;
    const commit = run.changes.get(changeId ?? "")?.commitId;
    return commit === undefined || lineText === null || isResolved || placedIn === commit
      ? []
      : [{ commit, comment }];
  });
  return [...Map.groupBy(moved, ({ commit }) => commit)].map(([commit, all]) => ({
    id: `comments/${commit}`,
    commit,
    comments: all.map(({ comment }) => comment),
  }));
}

export const placeComments = background<Run, PlaceComments>({
  isForHeldRun: true,
  desired: toPlace,
  async perform(run, { commit, comments }) {
    const paths = [...new Set(comments.flatMap(({ path }) => path ?? []))];
    const texts = await run.repository.readTexts(commit, paths);
    const lines = comments.map(
      ({ id, path, line, lineText }) =>
        [id, lineNow(texts.get(path ?? "") ?? null, line ?? 1, lineText ?? "")] as const,
    );
    run.append({ kind: "CommentsPlaced", commit, lines: Object.fromEntries(lines) });
  },
  failure: () => ({ title: "Comments could not follow their lines", worker: null, isAsked: false }),
});

interface SendOn extends Action {
  readonly comment: string;
}

/** `deliver = "agent"`: as soon as somebody works on it who still reads messages. */
export const sendComments = background<Run, SendOn>({
  desired: (run) =>
    run.facts.archangels.comments
      .filter((comment) => isToBeSent(run, comment))
      .map(({ id }) => ({ id: `comment/${id}`, comment: id })),
  async perform(run, { comment: id }) {
    const comment = run.facts.archangels.comments.find((one) => one.id === id);
    if (comment && isToBeSent(run, comment)) await sendComment(run, comment);
  },
  failure: () => ({ title: "A comment could not be sent", worker: null, isAsked: false }),
});

function isToBeSent(run: RunReader, { archangel, worker, sentTo, isResolved }: CommentRecord): boolean {
  if (sentTo !== null || isResolved || worker === null) return false;
  if (archangelNamed(run, archangel)?.deliver !== "agent") return false;
  const to = latestOf(run, worker);
  return to !== null && listenersTo(run, addressOf(run, to)).length > 0;
}

interface AskAbout extends Action {
  readonly suggestion: SuggestionRecord;
}

/** A card for each that nobody has decided; it lasts until somebody does, and nobody waits for it. */
export const putSuggestions = background<Run, AskAbout>({
  isForHeldRun: true,
  desired: (run) =>
    run.facts.archangels.suggestions
      .filter(({ state }) => state === "open")
      .map((suggestion) => ({ id: `suggestion/${suggestion.id}`, suggestion })),
  perform: (run, { suggestion }) => putSuggestion(run, suggestion),
  failure: () => ({ title: "A suggestion could not be applied", worker: null, isAsked: false }),
});
