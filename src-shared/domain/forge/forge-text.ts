/**
 * Texts on their way to and from a forge. What agents wrote goes out as plain text: on a forge a word can notify people,
 * close issues, approve, or load a picture. What others wrote comes in as they see it there, without what a page hides.
 */
import { shownText } from "../text/shown-text.ts";

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

/** Whether Hox wrote a comment itself. */
export const isOwnReply = (text: string): boolean => text.trimEnd().endsWith(replyMark);
