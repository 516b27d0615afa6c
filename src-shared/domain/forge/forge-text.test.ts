import fc from "fast-check";
import { fromMarkdown } from "mdast-util-from-markdown";
import { describe, expect, it } from "vitest";
import { inertLine, inertText, inertTitle, isOwnReply, replyText, sinceRequest } from "./forge-text.ts";

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly Node[];
}

const nodesOf = (node: Node): readonly Node[] => [node, ...(node.children ?? []).flatMap(nodesOf)];
/** What a reader of the page sees. */
const shownOf = (markdown: string): string =>
  nodesOf(fromMarkdown(markdown))
    .map(({ value = "" }) => value)
    .join("");
const typesOf = (markdown: string): readonly string[] => [
  ...new Set(nodesOf(fromMarkdown(markdown)).map(({ type }) => type)),
];

const harmless = new Set(["root", "paragraph", "text", "inlineCode", "list", "listItem", "break"]);
/** What a forge acts on in the text of a page. */
const effects = /(?:^|[^\w])@[\w-]|#\d|![\d[]|:\/\/|www\.|[A-Za-z]-\d/u;
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom("@alice", "#1", "Fixes #1", "acme/widgets#2", "GH-3", "!4", "&5", "%6", "~bug", "$7"),
      fc.constantFrom(
        "https://evil.example/x",
        "![x](https://t.example/p.png)",
        "[a](javascript:alert)",
        "www.x.yz",
      ),
      fc.constantFrom(
        "<!-- hox:end -->",
        "<img src=x>",
        "</details>",
        "&lt;",
        "&#64;bob",
        "```",
        "`",
        "``",
        "~~~",
      ),
      fc.constantFrom(
        "/close",
        "/merge",
        "\n/approve",
        "\n# H",
        "\n> q",
        "\n---",
        "\n===",
        "\n1. x",
        "\n- y",
        "    z",
        "\\",
      ),
      fc.constantFrom(
        "[x]: https://evil.example",
        "[^1]",
        "|a|b|\n|-|-|",
        "**b**",
        "_i_",
        "$`x`$",
        "\r\n",
        "\u202e",
        "\0",
      ),
      fc.string({ maxLength: 5 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

describe("inertText", () => {
  it("shows any text as words, and lets a forge act on nothing in it", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const markdown = inertText(text, 10_000);
        expect(typesOf(markdown).filter((type) => !harmless.has(type))).toEqual([]);
        // GitLab reads what closes an issue, and commands, in the text before it is shown.
        expect(markdown).not.toMatch(/^\s*\//mu);
        expect(markdown).not.toMatch(/(?<!&)#\d|<!|[A-Za-z]-\d/u);
        for (const { type, value = "" } of nodesOf(fromMarkdown(markdown)))
          if (type === "text") expect(value).not.toMatch(effects);
      }),
      { numRuns: 2_000 },
    );
  });

  it("reads as it was written", () => {
    const text = "Use `int` for *ids* (see src/a_b.ts), 50% faster & <T> safe: a | b.";
    expect(shownOf(inertLine(text)).replaceAll("\u200b", "")).toBe(text.replaceAll("`", ""));
    expect(inertLine("Run `npm test` twice")).toBe("Run `npm test` twice");
    expect(inertText("- one\n- two\n\nDone.", 100)).toBe("- one\n- two\n\nDone.");
  });

  it.each([
    ["Fixes #12", "Fixes #&#8203;12"],
    ["`Fixes #12`", "\\`Fixes #&#8203;12\\`"],
    ["thanks @alice", "thanks @&#8203;alice"],
    ["/close", "\\/close"],
    ["![x](https://t.example/p)", "!&#8203;\\[x\\](https:&#8203;//t.example/p)"],
    ["<!-- hox:end -->", "&lt;!&#8203;-- hox:end --&gt;"],
  ])("turns %s into plain text", (text, markdown) => {
    expect(inertText(text, 100)).toBe(markdown);
  });
});

describe("inertTitle", () => {
  it.each([
    ["Fixes #12: crash", "Fixes # 12: crash"],
    ["Draft: [WIP] Add x", "Add x"],
    ["Add x [skip ci]", "Add x (skip ci)"],
    ["Add x [ci skip][no-ci]", "Add x (ci skip)(no-ci)"],
    ["Add @types/node", "Add @ types/node"],
    ["one\ntwo", "one two"],
    ["see https://evil.example", "see https: //evil.example"],
    ["", "Changes without a title"],
  ])("turns %j into %j", (text, title) => {
    expect(inertTitle(text)).toBe(title);
  });

  it("has one line of at most 120 signs, without mentions and references", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const title = inertTitle(text);
        expect(title.length).toBeLessThanOrEqual(120);
        expect(title).not.toMatch(/[\n\r\0\u202e]|@\w|#\d|:\/\/|\[[^\]]*\bci\b[^\]]*\]/u);
      }),
    );
  });
});

describe("replyText", () => {
  it("is recognized as Hox's own, and as nothing else", () => {
    expect(isOwnReply(replyText("Done. @bob /merge"))).toBe(true);
    expect(isOwnReply("Done.")).toBe(false);
  });
});

it("a reply waits while others said more than was worked on, under any mark", () => {
  const comment = (id: string, name: string, text: string) => ({ id, author: { name }, text });
  const asked = comment("1", "alice", "Is this needed?");
  const more = comment("2", "bob", "And this?");
  const reply = comment("3", "me", replyText("Addressed."));
  const forged = comment("4", "mallory", replyText("All is well."));
  expect(sinceRequest([asked], "1", "me")).toEqual({ hasReply: false, hasMore: false });
  expect(sinceRequest([asked, more], "1", "me")).toEqual({ hasReply: false, hasMore: true });
  expect(sinceRequest([asked, more, forged], "1", "me")).toEqual({ hasReply: false, hasMore: true });
  expect(sinceRequest([asked, reply], "1", "me")).toEqual({ hasReply: true, hasMore: false });
  expect(sinceRequest([asked, reply, more], "1", "me")).toEqual({ hasReply: true, hasMore: true });
  expect(sinceRequest([asked, more, reply], "2", "me")).toEqual({ hasReply: true, hasMore: false });
});
