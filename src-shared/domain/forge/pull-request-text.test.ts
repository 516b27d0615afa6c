import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  newPullRequestText,
  type PullRequestReport,
  retitled,
  updatedPullRequestText,
  withoutMarks,
} from "./pull-request-text.ts";

const report: PullRequestReport = {
  title: "Keep users",
  goal: "Keep users on disk",
  summary: "They vanished.\nNow they stay.",
  decisions: [{ title: "Ids are text", reason: "they are shown" }],
  tasks: ["Write the store", "Read the store"],
  checks: [{ name: "test", outcome: "passed" }],
  votes: { approved: 3, seats: 4 },
  microDollars: 1_230_000,
  open: ["agent-1: add an index"],
  unreviewed: ["a.ts"],
  issue: { reference: "#33", closes: true },
  part: { position: 2, size: 3 },
};
const first = newPullRequestText(report);
const later = { ...report, title: "Keep all users", checks: [{ name: "test", outcome: "failed" }] };

describe("retitled", () => {
  it("keeps the title of the user through later rounds, and still updates the text", () => {
    const own = retitled(first, "Mine, #7");
    expect(own.title).toBe("Mine, #7");
    expect(withoutMarks(own.text)).toBe(withoutMarks(first.text));
    expect(withoutMarks(own.text)).not.toContain("hox:");
    const update = updatedPullRequestText(own, later);
    expect(update).toMatchObject({ title: "Mine, #7", kept: ["title"] });
    expect(update.text).toContain("test: failed");
    expect(updatedPullRequestText({ ...update }, report)).toMatchObject({
      title: "Mine, #7",
      kept: ["title"],
    });
  });

  it("leaves a title that was not changed to Hox", () => {
    expect(retitled(first, first.title)).toEqual(first);
  });
});

describe("newPullRequestText", () => {
  it("says what was wanted, done, decided, checked, voted, paid and left", () => {
    expect(first.title).toBe("Keep users");
    const [begin, ...lines] = first.text.split("\n");
    expect(begin).toMatch(/^<!-- hox:begin text=[0-9a-f]{16} title=[0-9a-f]{16} -->$/u);
    expect(lines.join("\n")).toBe(
      `Part 2 of 3; the parts below are merged first.

Closes #33.

### Goal

Keep users on disk

### What changed and why

They vanished.  
Now they stay.

### Decisions

- Ids are text: they are shown

### Tasks

- Write the store
- Read the store

### Checks

- test: passed

### Votes

3 of 4 validators approved.

### Open

- agent-1: add an index

### Not reviewed by anyone

- a.ts

_Written by coding agents with Hox. Models cost $1.23. Hox updates this part and leaves the rest of the text alone._
<!-- hox:end -->`.replace("agent-1", "agent-&#8203;1"),
    );
  });

  it("leaves out what there is nothing to say about", () => {
    const { text } = newPullRequestText({
      ...report,
      ...{ summary: "", decisions: [], tasks: [], checks: [], votes: null, microDollars: null, open: [] },
      ...{ unreviewed: [], issue: null, part: null },
    });
    expect(text.match(/^###/gmu)).toHaveLength(1);
    expect(text).not.toContain("$");
  });

  it.each(["@x ", "word "])("stays below what a forge accepts, for many %j", (words) => {
    const long = words.repeat(30_000);
    const many = Array.from({ length: 500 }, () => long);
    const { text, title } = newPullRequestText({
      ...report,
      title: long,
      goal: long,
      summary: long,
      tasks: many,
      unreviewed: many,
    });
    expect(text.length).toBeLessThan(65_000);
    expect(title.length).toBeLessThanOrEqual(120);
    if (words === "word ") expect(text).toContain("and 450 more");
  });
});

describe("updatedPullRequestText", () => {
  it("replaces Hox's part, and keeps what a user wrote around it", () => {
    const current = { title: first.title, text: `Please read this first.\n\n${first.text}\n\n- [ ] my list` };
    const next = updatedPullRequestText(current, later);
    expect(next).toMatchObject({ title: "Keep all users", kept: [] });
    expect(next.text).toContain("- test: failed");
    expect(next.text.startsWith("Please read this first.\n\n<!-- hox:begin")).toBe(true);
    expect(next.text.endsWith("<!-- hox:end -->\n\n- [ ] my list")).toBe(true);
    // Once more, and with the line ends of a browser.
    const again = updatedPullRequestText({ ...next, text: next.text.replaceAll("\n", "\r\n") }, report);
    expect(again).toMatchObject({ title: "Keep users", kept: [] });
    expect(again.text).toContain("- test: passed");
  });

  it("keeps a title that a user wrote, for good", () => {
    const next = updatedPullRequestText({ title: "Mine", text: first.text }, later);
    expect(next).toMatchObject({ title: "Mine", kept: ["title"] });
    expect(next.text).toContain("- test: failed");
    expect(updatedPullRequestText(next, report)).toMatchObject({ title: "Mine", kept: ["title"] });
  });

  it.each([
    ["edited inside", first.text.replace("Keep users on disk", "Keep them")],
    ["without the first mark", first.text.split("\n").slice(1).join("\n")],
    ["without the last mark", first.text.replace("<!-- hox:end -->", "")],
    ["with the marks twice", `${first.text}\n${first.text}`],
    ["written by a user alone", "My own text"],
    ["empty", ""],
  ])("changes nothing in a text that is %s", (_, text) => {
    const current = { title: "Keep users", text };
    expect(updatedPullRequestText(current, later)).toEqual({ ...current, kept: ["title", "text"] });
  });

  it("finds its part again whatever agents wrote in it, and loses nothing that a user wrote", () => {
    const line = fc.oneof(
      fc.string(),
      fc.constantFrom("<!-- hox:end -->", "<!-- hox:begin text=0 title=0 -->", "/close"),
    );
    fc.assert(
      fc.property(line, line, line, line, (goal, summary, before, after) => {
        const agents = { ...report, goal, summary };
        const made = newPullRequestText(agents);
        const around = { title: made.title, text: `${before}\n${made.text}\n${after}` };
        const next = updatedPullRequestText(around, { ...agents, summary: `${summary}!` });
        expect(next.text.startsWith(before.split(/\r?\n/u).join("\n"))).toBe(true);
        expect(next.text.endsWith(after.split(/\r?\n/u).join("\n"))).toBe(true);
        if (!`${before}${after}`.includes("hox:")) expect(next.kept).toEqual([]);
      }),
    );
  });
});
