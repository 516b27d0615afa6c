import { languageOf } from "../imports/import-graph.ts";

/**
 * What of a file's lines is code: comments are taken out, and of texts in quotes only single words stay, because a
 * name in prose is no use of it. It looks line by line and knows no grammar; a file of another language counts whole.
 *
 * @returns one entry for each line of the text, empty where nothing of it counts
 */
export function codeLines(path: string, text: string): readonly string[] {
  const lines = text.split("\n");
  const language = languageOf(path);
  if (language === null) return lines;
  if (language === "Python") return lines.map((line) => words(withoutHash(line), /["']/u));
  let inBlock = false;
  return lines.map((line) => {
    let rest = line;
    let code = "";
    for (;;) {
      if (inBlock) {
        const end = rest.indexOf("*/");
        if (end < 0) return words(code, quotesOf[language]);
        inBlock = false;
        rest = rest.slice(end + 2);
      }
      // Without a space before it, it is part of a glob, an address or a regular expression.
      const opening = /(?:^|\s)(\/\*|\/\/)/u.exec(rest);
      if (!opening) return words(code + rest, quotesOf[language]);
      code += rest.slice(0, opening.index + opening[0].length - 2);
      if (opening[1] === "//") return words(code, quotesOf[language]);
      inBlock = true;
      rest = rest.slice(opening.index + opening[0].length);
    }
  });
}

/** A single quote in Rust begins a lifetime more often than a character. */
const quotesOf = { JavaScript: /["'`]/u, Rust: /"/u } as const;

function words(code: string, quotes: RegExp): string {
  let left = "";
  let begin = 0;
  for (const { from, to } of quotedTexts(code)) {
    left += code.slice(begin, from) + quotedText(code.slice(from, to), quotes);
    begin = to;
  }
  return left + code.slice(begin);
}

function quotedText(whole: string, quotes: RegExp): string {
  const inside = whole.slice(1, -1);
  if (!quotes.test(whole.charAt(0)) || /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(inside)) return whole;
  return whole.startsWith("`")
    ? [...inside.matchAll(/\$\{((?:[^}$]|\$(?!\{))*)\}/gu)]
        .map(([, expression]) => ` ${expression} `)
        .join("")
    : '""';
}

/** Texts in quotes, with their quotes. One that is not closed is none; its end is looked for once, and not from each quote on. */
function quotedTexts(code: string): readonly { readonly from: number; readonly to: number }[] {
  const found: { from: number; to: number }[] = [];
  let open = "\"'`";
  for (let from = 0; from < code.length; from++) {
    const quote = code.charAt(from);
    if (!open.includes(quote)) continue;
    let end = from + 1;
    while (end < code.length && code[end] !== quote) end += code[end] === "\\" ? 2 : 1;
    if (end >= code.length) open = open.replace(quote, "");
    else {
      found.push({ from, to: end + 1 });
      from = end;
    }
  }
  return found;
}

/** A line of Python before its comment. */
function withoutHash(line: string): string {
  const at = line.search(/(?:^|\s)#/u);
  return at < 0 ? line : line.slice(0, line.charAt(at) === "#" ? at : at + 1);
}

/** Words that belong to a language and name nothing; common to the languages that imports are read of. */
export const reservedIdentifiers: ReadonlySet<string> = new Set(
  `abstract any as assert async await bool boolean break case catch char class const constructor continue crate def
  default del delete dict do dyn elif else enum except export extends extern false False final finally float fn for
  from function get global if impl implements import in infer instanceof int interface is keyof lambda let list loop
  match mod module mut namespace never new None null number object of override package pass private protected pub
  public raise readonly ref require return self Self set static str string String struct super switch symbol this
  throw trait true True try type typeof undefined union unknown unsafe use usize var Vec void where while with yield
  Option Result Promise Array Record Partial Readonly`.split(/\s+/u),
);
