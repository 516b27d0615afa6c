/** What a run's result waits for, as one list: pure, so that what is in it and in which order can be tested. */
import type { InboxItem } from "#shared/contract/cards.ts";
import type { BranchState } from "#shared/contract/commands/pull-request.ts";
import type { RunView, WorkerView } from "#shared/contract/views/run.ts";
import type { CommentView } from "#shared/domain/archangel/archangel-records.ts";
import type { CheckState } from "#shared/domain/forge/forge-facts.ts";
import type { PublishedPart, SeenCheck } from "#shared/domain/landing/publication.ts";
import type { Todo } from "#shared/domain/orientation/todo-events.ts";

export type CheckItem = { readonly key: string } & (
  | { readonly kind: "card"; readonly card: InboxItem }
  /** A branch, with its pull request where it has one; `state` is null until it was compared. */
  | { readonly kind: "branch"; readonly part: PublishedPart | null; readonly state: BranchState | null }
  | { readonly kind: "check"; readonly part: PublishedPart; readonly check: SeenCheck }
  | { readonly kind: "thread"; readonly comment: CommentView }
  | { readonly kind: "todos"; readonly worker: WorkerView; readonly todos: readonly Todo[] }
);

const order: Readonly<Record<CheckState, number>> = { failed: 0, pending: 1, passed: 2 };

/**
 * Cards first; then each pull request from the top down, with its checks and threads, what is open before what is settled;
 * then the steps that agents have not done.
 * @param branches null: not compared yet
 */
export function checkItems(
  run: Pick<RunView, "id" | "publication" | "comments" | "workers" | "endedAt">,
  inbox: readonly InboxItem[],
  branches: readonly BranchState[] | null,
): readonly CheckItem[] {
  const { publication, comments, workers } = run;
  const cards = inbox
    .filter((card) => card.run === run.id)
    .map((card): CheckItem => ({ kind: "card", key: `card ${card.id}`, card }));
  const parts = (publication?.parts.toReversed() ?? []).flatMap((part) => ofPart(part, comments, branches));
  const results =
    publication === undefined
      ? (branches ?? []).map(
          (state): CheckItem => ({ kind: "branch", key: `branch ${state.branch}`, part: null, state }),
        )
      : [];
  const steps =
    run.endedAt === null
      ? workers.flatMap((worker): readonly CheckItem[] => {
          const todos = worker.todos.filter(({ status }) => status !== "completed");
          const isOver = worker.status === "done" || worker.status === "abandoned";
          if (todos.length === 0 || isOver || worker.replacedBy !== null) return [];
          return [{ kind: "todos", key: `todos ${worker.name}`, worker, todos }];
        })
      : [];
  return [...cards, ...parts, ...results, ...steps];
}

function ofPart(
  part: PublishedPart,
  comments: readonly CommentView[],
  branches: readonly BranchState[] | null,
): readonly CheckItem[] {
  const { branch, seen } = part;
  const state = branches?.find((one) => one.branch === branch) ?? null;
  const checks = (seen?.checks ?? []).toSorted((one, other) => order[one.state] - order[other.state]);
  const threads = comments
    .filter(({ thread }) => thread?.branch === branch)
    .toSorted((one, other) => Number(one.isResolved) - Number(other.isResolved));
  return [
    { kind: "branch", key: `branch ${branch}`, part, state },
    ...checks.map((check): CheckItem => ({ kind: "check", key: `check ${branch} ${check.id}`, part, check })),
    ...threads.map((comment): CheckItem => ({ kind: "thread", key: comment.id, comment })),
  ];
}

/** How many of them somebody has to act on. */
export const countOpen = (items: readonly CheckItem[]): number =>
  items.filter(
    (item) =>
      item.kind === "card" ||
      (item.kind === "check" && item.check.state === "failed") ||
      (item.kind === "thread" && !item.comment.isResolved) ||
      (item.kind === "branch" && (item.state?.conflicts.length ?? 0) > 0),
  ).length;

/** The address of what it is about on the forge; null: it is not there. */
export function addressOf(item: CheckItem): string | null {
  switch (item.kind) {
    case "branch":
      return item.part?.pullRequest?.url ?? null;
    case "check":
      return item.check.url;
    case "thread":
      return item.comment.thread?.url ?? null;
    default:
      return null;
  }
}
