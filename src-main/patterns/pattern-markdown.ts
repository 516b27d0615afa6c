/**
 * What a pattern may consist of: plain prose, as the parser reads it that also shows Markdown on screen. Whatever could
 * load, run, lead elsewhere than it says, or stand there unseen is refused by its kind and not by its spelling. (HOX-8.4)
 */

import { fromMarkdown } from "mdast-util-from-markdown";
import { startOf } from "#shared/domain/text/cut-text.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";

type Node = ReturnType<typeof fromMarkdown> | ReturnType<typeof fromMarkdown>["children"][number];

const prose: ReadonlySet<string> = new Set([
  ...["root", "heading", "paragraph", "text", "emphasis", "strong", "inlineCode", "code", "list", "listItem"],
  ...["link", "break", "blockquote", "thematicBreak"],
]);
const refused: Readonly<Record<string, string>> = {
  html: "It contains HTML.",
  image: "It contains an image.",
  imageReference: "It contains an image.",
  definition: "It contains an address that its text does not show.",
  linkReference: "It contains an address that its text does not show.",
};

const maxTitleLength = 120;
const maxBodyLength = 6_000;

/**
 * Why a pattern's text is not what a pattern may be, in words for the card; null when it is.
 *
 * @param body without front matter; untrusted
 */
export function proseProblem(body: string): string | null {
  if (body.length > maxBodyLength)
    return `It is longer than ${maxBodyLength.toLocaleString("en")} characters.`;
  const nodes = [...walk(fromMarkdown(body))];
  const [, first] = nodes;
  if (first?.type !== "heading" || first.depth !== 1) return "It does not start with a heading.";
  const title = textOf(first);
  if (title.trim() === "" || title.length > maxTitleLength)
    return `Its heading is empty, or longer than ${maxTitleLength} characters.`;
  for (const node of nodes) {
    if (!prose.has(node.type))
      return refused[node.type] ?? `It contains something other than plain text: ${node.type}.`;
    if (node.type === "heading" && node !== first && node.depth === 1) return "It has more than one title.";
    if (node.type === "link") {
      const problem = linkProblem(node.url, textOf(node));
      if (problem !== null) return problem;
    }
  }
  const words = textOf(first) + nodes.map((node) => (node.type === "text" ? node.value : "")).join(" ");
  const mixed = words.match(/[\p{L}\p{M}]+/gu)?.find(isOfSeveralScripts);
  if (mixed !== undefined) return `A word mixes look-alike letters: "${startOf(mixed, 60)}".`;
  const prosePart = nodes.flatMap((node) =>
    node.type === "text" || node.type === "inlineCode" ? [node.value] : [],
  );
  if (prosePart.join("").length - title.length < 40) return "There is hardly any text under the heading.";
  return null;
}

/** Web addresses and places in the repository, and nothing that a program could be told with. */
function linkProblem(url: string, text: string): string | null {
  const base = "https://here.invalid/";
  if (!URL.canParse(url, base)) return `A link has no target: ${startOf(shownText(url), 120)}`;
  const { protocol, origin, username, password } = new URL(url, base);
  if (protocol !== "http:" && protocol !== "https:")
    return `A link is not a web address: ${startOf(shownText(url), 120)}`;
  if (username !== "" || password !== "")
    return `A link contains a name or a password: ${startOf(shownText(url), 120)}`;
  // A text that is itself an address must be the one that it leads to.
  if (
    /^\s*(?:https?:)?\/\//iu.test(text) &&
    URL.canParse(text.trim(), base) &&
    new URL(text.trim(), base).origin !== origin
  )
    return `A link says ${startOf(shownText(text), 80)} and leads to ${origin}.`;
  return null;
}

function* walk(node: Node): Generator<Node> {
  yield node;
  if ("children" in node) for (const child of node.children) yield* walk(child);
}

const textOf = (node: Node): string =>
  [...walk(node)].map((one) => (one.type === "text" || one.type === "inlineCode" ? one.value : "")).join("");

const alike = [/\p{sc=Latn}/u, /\p{sc=Cyrl}/u, /\p{sc=Grek}/u, /\p{sc=Cher}/u, /\p{sc=Armn}/u] as const;
const isOfSeveralScripts = (word: string): boolean => alike.filter((script) => script.test(word)).length > 1;
