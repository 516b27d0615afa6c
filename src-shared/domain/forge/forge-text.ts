/**
 * Texts on their way to and from a forge. What agents wrote goes out as plain text: on a forge a word can notify people,
 * close issues, approve, or load a picture. What others wrote comes in as they see it there, without what a page hides.
 */
import { shortened } from "../text/format-text.ts";
import { shownLine, shownText } from "../text/shown-text.ts";

/** Invisible on the page, and ends what a forge takes for a name or a number. */
const breakMark = "&#8203;";

/**
 * One line of untrusted text as Markdown that shows exactly this text: no mention, no reference that closes or links an
 * issue, no address to click or load, no HTML, no command. Code in single backticks stays code.
 */
export function inertLine(text: string): string {
  const parts = shownLine(text).split("`");
  // With an odd number of backticks the last one has no partner.
  const paired = parts.length % 2 === 0 ? parts.length - 2 : parts.length - 1;
  return parts
    .map((part, at) => {
      if (at % 2 === 1 && at < paired)
        return isHarmlessCode(part) ? `\`${part}\`` : `\\\`${inertWords(part)}\\\``;
      // Two spans next to each other would be one.
      if (part === "" && at > 0 && at < paired) return " ";
      return `${at > paired ? "\\`" : ""}${inertWords(part)}`;
    })
    .join("");
}

/** GitLab looks for what closes an issue in code, too. */
const isHarmlessCode = (code: string): boolean =>
  code.trim() !== "" && !/[#!&@]|[A-Za-z]-\d|:\/\//u.test(code);

const inertWords = (text: string): string =>
  text
    .replace(/[&<>\\*_[\]|#!@%$~]/gu, (sign) => inertSigns[sign] ?? `\\${sign}`)
    .replaceAll("://", `:${breakMark}//`)
    .replace(/www\./giu, (found) => `${found.slice(0, -1)}${breakMark}.`)
    // `GH-1`, and the numbers of trackers that a forge is connected with.
    .replace(/[A-Za-z]-(?=\d)/gu, (found) => `${found}${breakMark}`);

/** Signs that a backslash does not make harmless, because a forge looks for them in the text that is shown. */
const inertSigns: Readonly<Record<string, string>> = {
  "&": `&amp;${breakMark}`,
  "<": "&lt;",
  ">": "&gt;",
  "@": `@${breakMark}`,
  "#": `#${breakMark}`,
  "!": `!${breakMark}`,
  "%": `%${breakMark}`,
  $: `$${breakMark}`,
  "~": `\\~${breakMark}`,
};

/**
 * Untrusted text of several lines as such Markdown. Items of lists stay items; every other line is a line.
 * @param most units of the text; what is beyond is left out
 */
export const inertText = (text: string, most: number): string =>
  shortened(text.trim(), most)
    .split(/\r?\n/u)
    .map((line) => {
      const words = line.trim();
      const item = /^[-*] (?=\S)/u.test(words);
      return item ? `- ${lineStart(inertLine(words.slice(2)))}` : lineStart(inertLine(words));
    })
    .map((line, at, all) => (isFollowedByText(all, at) ? `${line}  ` : line))
    .join("\n");

/** Markdown joins lines; two spaces keep them apart. */
const isFollowedByText = (lines: readonly string[], at: number): boolean =>
  lines[at] !== "" && (lines[at + 1] ?? "") !== "" && !lines[at + 1]?.startsWith("- ");

/** What means something at the beginning of a line only: commands of a forge and of bots, lists, rulers, tables. */
const lineStart = (line: string): string =>
  line.replace(/^[/:=+-]/u, "\\$&").replace(/^\d{1,9}(?=[.)])/u, (digits) => `${digits}\\`);

const maxTitle = 120;

/**
 * A title from untrusted text. A title can become the subject of the commit by which it is merged, so it may not close an
 * issue, mention anyone, or skip the checks there, and it does not say whether it is a draft.
 */
export function inertTitle(text: string): string {
  const line = shownLine(text.trim())
    .replaceAll("␊", " ")
    .replace(/^(?:(?:\[(?:draft|wip)\]|\((?:draft|wip)\)|(?:draft|wip):) ?)+/iu, "")
    .replace(/\[([^[\]]{0,40}\b(?:ci|actions|pipelines?)\b[^[\]]{0,40})\]/giu, "($1)")
    .replace(/([@#!])(?=[\w])/gu, "$1 ")
    // `GH-1`, with a hyphen that is drawn the same.
    .replace(/\b([A-Za-z]{2,10})-(?=\d)/gu, "$1\u2011")
    .replaceAll("://", ": //");
  return shortened(line.trim(), maxTitle) || "Changes without a title";
}

/**
 * What others wrote on a forge, as a reader of the page sees it: comments in HTML are hidden there and go, a picture is its
 * description, a link shows where it leads.
 */
export function visibleText(markdown: string): string {
  return withoutHtmlComments(shownText(markdown.replaceAll("\r\n", "\n")))
    .replace(
      /!\[([^[\]\n]{0,300})\]\([^()\n]{0,2000}\)/gu,
      (_, words: string) => `[picture: ${words || "no description"}]`,
    )
    .replace(/<img\b[^<>]{0,3000}>/giu, "[picture]")
    .replace(/\[([^[\]\n]{1,300})\]\(([^()\s]{1,2000})(?: [^()\n]{0,300})?\)/gu, "$1 ($2)")
    .trim();
}

function withoutHtmlComments(text: string): string {
  let kept = "";
  for (let at = 0; ; ) {
    const start = text.indexOf("<!--", at);
    if (start < 0) return kept + text.slice(at);
    kept += text.slice(at, start);
    const end = text.indexOf("-->", start + 4);
    // A page hides everything after a comment that does not end.
    if (end < 0) return kept;
    at = end + 3;
  }
}

const replyMark = "<!-- hox:reply -->";

/** A reply in a thread, in the user's name; the mark says that no person wrote it. */
export const replyText = (text: string): string => `${inertText(text, 4_000)}\n\n${replyMark}`;

/** Finds the comment of one run again, so that none is written twice. */
export const commentMark = (run: string): string => `<!-- hox:run ${run.replace(/[^\w-]/gu, "")} -->`;

/** A comment in the user's name, in words of Hox alone. */
export const markedComment = (text: string, run: string): string =>
  `${text}\n\n${commentMark(run)}\n${replyMark}`;

/** Whether a comment says that Hox wrote it itself. Anyone can write the mark. */
export const isOwnReply = (text: string): boolean => text.trimEnd().endsWith(replyMark);

interface AuthoredText {
  readonly author: { readonly name: string };
  readonly text: string;
}

/** Only in the name of the pull request's author the mark is Hox's. */
const isReplyOf =
  (author: string) =>
  (one: AuthoredText): boolean =>
    isOwnReply(one.text) && one.author.name === author;

/**
 * What nobody has replied to in a conversation. Only a marked reply in the name of the pull request's author answers what is
 * above it; one of another user is no answer, and asks for nothing.
 */
export function unanswered<Comment extends AuthoredText>(
  comments: readonly Comment[],
  author: string,
): readonly Comment[] {
  const answer = comments.findLastIndex(isReplyOf(author));
  return comments.slice(answer + 1).filter(({ text }) => !isOwnReply(text));
}

/**
 * Whether a request in a conversation has its reply, and whether others said more since: then a reply would hide what nobody has
 * read yet.
 * @param request id of the comment that was worked on
 * @param author of the pull request
 */
export function sinceRequest(
  comments: readonly (AuthoredText & { readonly id: string })[],
  request: string,
  author: string,
): { readonly hasReply: boolean; readonly hasMore: boolean } {
  const after = comments.slice(comments.findIndex(({ id }) => id === request) + 1);
  return {
    hasReply: after.some(isReplyOf(author)),
    hasMore: unanswered(after, author).length > 0,
  };
}
