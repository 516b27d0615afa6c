import { afterEach, expect, test } from "vitest";
import type { RunView } from "#shared/contract/views/run.ts";
import type { CommentView } from "#shared/domain/archangel/archangel-records.ts";
import { commentIsShown, commentsOfRun, isOpen, showComment, useShownComment } from "./comments.ts";
import { useSelection } from "./selection-store.ts";

const comment = (id: string, more: Partial<CommentView>): CommentView => ({
  id,
  archangel: "security",
  worker: "agent-1",
  changeId: "kxyz",
  commit: "c1",
  path: "src/a.ts",
  line: 1,
  lineText: "a",
  text: "Look.",
  relation: "risk",
  step: null,
  at: 1,
  isResolved: false,
  isOutdated: false,
  sentTo: null,
  replies: [],
  ...more,
});
const run = (comments: readonly CommentView[]): RunView => ({ comments }) as unknown as RunView;

afterEach(() => {
  useShownComment.setState({ comment: null });
  useSelection.setState({ selected: null, rightTab: "inspector" });
});

test("comments stand by file and line, those on a change as a whole first and the resolved ones last", () => {
  const all = [
    comment("resolved", { isResolved: true, line: null, path: null }),
    comment("b2", { path: "src/b.ts", line: 2 }),
    comment("a9", { line: 9 }),
    comment("a1-later", { at: 5 }),
    comment("a1", {}),
    comment("whole", { path: null, line: null }),
  ];
  expect(commentsOfRun(run(all)).map(({ id }) => id)).toEqual([
    "whole",
    "a1",
    "a1-later",
    "a9",
    "b2",
    "resolved",
  ]);
  expect(commentsOfRun(null)).toEqual([]);
});

test("one that is resolved, or whose line is gone, is not open", () => {
  expect(isOpen(comment("a", {}))).toBe(true);
  expect(isOpen(comment("a", { isResolved: true }))).toBe(false);
  expect(isOpen(comment("a", { isOutdated: true, line: null }))).toBe(false);
});

test("showing a comment selects its change and waits until it is on screen; of work outside Hox the run is shown", () => {
  useSelection.setState({ rightTab: "inbox" });
  showComment(comment("one", {}));
  expect(useSelection.getState()).toMatchObject({ selected: "kxyz", rightTab: "inspector" });
  commentIsShown("another");
  expect(useShownComment.getState().comment).toBe("one");
  commentIsShown("one");
  expect(useShownComment.getState().comment).toBe(null);
  useSelection.setState({ rightTab: "inbox" });
  showComment(comment("outside", { changeId: null, worker: null }));
  expect(useSelection.getState()).toMatchObject({ selected: null, rightTab: "inspector" });
});
