import treeSitter, { type Parser, type Query, type Tree } from "@vscode/tree-sitter-wasm";
import type { FileImports } from "#shared/domain/imports/file-imports.ts";
import { type Grammar, grammarOf, parserFor } from "./grammars.ts";
import {
  javaScriptImports,
  javaScriptQuery,
  type ReadableText,
  readableJavaScript,
} from "./javascript-imports.ts";
import { pythonImports, pythonQuery } from "./python-imports.ts";
import { rustImports, rustQuery } from "./rust-imports.ts";

/** How long one step reads before others have their turn. */
const stepMs = 8;

/** Reads files of one grammar, each in steps of a few milliseconds. What was loaded for it is freed by hand. */
export interface ImportReader {
  read(text: string): Generator<undefined, FileImports>;
  free(): void;
}

/**
 * Reads what source files import, by the grammar of their language (HOX-9.2). Broken syntax gives what could still be
 * read of it.
 *
 * @param texts of source files by path; files of other languages are left out
 * @param goesOn asked between steps of a few milliseconds; may wait for others. False leaves out what is not read yet
 */
export async function readImports(
  texts: ReadonlyMap<string, string>,
  goesOn: () => Promise<boolean>,
): Promise<ReadonlyMap<string, FileImports>> {
  const readers = new Map<Grammar, ImportReader>();
  const read = new Map<string, FileImports>();
  try {
    for (const [path, text] of texts) {
      const grammar = grammarOf(path);
      if (grammar === null) continue;
      const reader = readers.get(grammar) ?? (await createReader(grammar));
      readers.set(grammar, reader);
      const steps = reader.read(text);
      let step = steps.next();
      for (; !step.done; step = steps.next()) if (!(await goesOn())) return read;
      read.set(path, step.value);
      if (!(await goesOn())) return read;
    }
    return read;
  } finally {
    for (const reader of readers.values()) reader.free();
  }
}

/** Loads what one grammar needs; see `readImports`. */
export async function createReader(grammar: Grammar): Promise<ImportReader> {
  const { parser, language } = await parserFor(grammar);
  const query = new treeSitter.Query(
    language,
    { tsx: javaScriptQuery, typescript: javaScriptQuery, python: pythonQuery, rust: rustQuery }[grammar],
  );
  return {
    *read(text) {
      const readable =
        grammar === "tsx" || grammar === "typescript" ? readableJavaScript(text) : { text, taken: new Map() };
      const tree = yield* parsed(parser, readable.text);
      try {
        return importsIn(grammar, tree, query, parser, readable);
      } finally {
        tree.delete();
      }
    },
    free() {
      query.delete();
      parser.delete();
    },
  };
}

/** A parser that is stopped goes on where it was when it is asked again for the same text. */
function* parsed(parser: Parser, text: string): Generator<undefined, Tree> {
  for (;;) {
    const begun = performance.now();
    const tree = parser.parse(text, null, { progressCallback: () => performance.now() - begun > stepMs });
    if (tree !== null) return tree;
    yield;
  }
}

function importsIn(
  grammar: Grammar,
  tree: Tree,
  query: Query,
  parser: Parser,
  readable: ReadableText,
): FileImports {
  switch (grammar) {
    case "tsx":
    case "typescript":
      return { language: "JavaScript", specifiers: javaScriptImports(tree, query, readable) };
    case "python":
      return { language: "Python", imports: pythonImports(tree, query) };
    case "rust":
      return { language: "Rust", items: rustImports(tree, query, (text) => parser.parse(text)) };
  }
}
