import { describe, expect, it } from "vitest";
import type { RunView } from "#shared/contract/views/run.ts";
import type { Publication, SeenCheck, SeenThread } from "#shared/domain/landing/publication.ts";
import { threadComments } from "#shared/domain/landing/thread-comments.ts";
import { addressOf, checkItems, countOpen } from "./check-items.ts";

const check = (name: string, state: SeenCheck["state"]): SeenCheck => ({
  ...{ id: name, name, state, url: `https://forge.test/${name}`, log: "" },
});
const thread = (id: string, more: Partial<SeenThread> = {}): SeenThread => ({
  ...{ id, file: "src/a.ts", line: 2, lineText: "const a = 1;", isResolved: false, url: null },
  comments: [{ author: "you", isBot: false, at: 1, text: "<b>Why?</b>" }],
  ...{ worker: "agent-1", addressedIn: null, ...more },
});
const publication: Publication = {
  ...{ form: "pull_request", remote: "origin", base: "main", result: "c1" },
  repository: { forge: "github", id: "1", path: "acme/widgets" },
  ...{
    requests: [],
    owed: [],
    isIssueLinked: false,
    isPublished: true,
    isOutdated: false,
    followUps: [],
    isNative: false,
    problem: null,
    question: 0,
  },
  parts: [
    {
      ...{
        branch: "hox/goal",
        title: "Goal",
        worker: null,
        commit: "c1",
        followed: null,
        pushed: "c1",
        hasOthers: false,
      },
      pullRequest: { number: 7, url: "https://forge.test/pull/7" },
      seen: {
        ...{ state: "open", approvals: [], changesRequestedBy: [], isMergeable: true, isQueued: false },
        checks: [check("lint", "passed"), check("build", "pending"), check("test", "failed")],
        threads: [thread("settled", { isResolved: true }), thread("open")],
      },
    },
  ],
};
const comments = threadComments(publication, () => "change-1", "whole");
const run = { id: "r1", publication, comments, workers: [], endedAt: null } as unknown as RunView;

describe("threadComments", () => {
  it("are comments on the change of their line, by an author that is no reviewer of Hox", () => {
    expect(comments.find(({ id }) => id === "thread/hox/goal/open")).toMatchObject({
      ...{ archangel: "@you", changeId: "change-1", path: "src/a.ts", line: 2, sentTo: "agent-1" },
      thread: { number: 7, url: "https://forge.test/pull/7", addressedIn: null },
    });
    const [merged] = publication.parts.map((part) => ({
      ...part,
      followed: { state: "merged" } as NonNullable<typeof part.followed>,
    }));
    expect(threadComments({ ...publication, parts: merged ? [merged] : [] }, () => null, null)).toEqual([]);
  });
});

describe("checkItems", () => {
  it("has what is open before what is settled, and counts what is to be acted on", () => {
    const items = checkItems(run, [], null);
    expect(items.map(({ key }) => key)).toEqual([
      ...["branch hox/goal", "check hox/goal test", "check hox/goal build", "check hox/goal lint"],
      ...["thread/hox/goal/open", "thread/hox/goal/settled"],
    ]);
    expect(countOpen(items)).toBe(2);
    expect(items.map(addressOf)[1]).toBe("https://forge.test/test");
  });

  it("has the result's branch where nothing is published, and the steps that agents have left", () => {
    const state = { branch: "The result", base: "main", ahead: 3, behind: 0, conflicts: ["src/a.ts"] };
    const worker = (name: string, status: string) => ({
      ...{ name, status, replacedBy: null },
      todos: [
        { content: "Write it", status: "pending", activeForm: "Writing it" },
        { content: "Read it", status: "completed", activeForm: "Reading it" },
      ],
    });
    const { publication: _, ...unpublished } = run;
    const working = {
      ...unpublished,
      comments: [],
      workers: [worker("agent-1", "in_progress"), worker("agent-2", "done")],
    } as unknown as RunView;
    const items = checkItems(working, [], [state]);
    expect(items.map(({ key }) => key)).toEqual(["branch The result", "todos agent-1"]);
    expect(items[1]).toMatchObject({ todos: [{ content: "Write it" }] });
    expect(countOpen(items)).toBe(1);
  });
});
