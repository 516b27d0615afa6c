import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
// It is a CommonJS module whose names Node does not see.
import treeSitter, { type Language, type Parser } from "@vscode/tree-sitter-wasm";

/** TypeScript without JSX is a separate language: `<T>x` is a cast there and an element elsewhere. */
export type Grammar = "tsx" | "typescript" | "python" | "rust";

/** The grammar that reads a source file; plain JavaScript is read as TypeScript with JSX, which also knows Flow's types. */
export function grammarOf(path: string): Grammar | null {
  const extension = /\.(\w+)$/u.exec(path)?.[1] ?? "";
  if (/^[cm]?ts$/u.test(extension)) return "typescript";
  if (/^(?:[cm]?js|[jt]sx)$/u.test(extension)) return "tsx";
  if (extension === "py" || extension === "pyi") return "python";
  return extension === "rs" ? "rust" : null;
}

/** Where the build puts the grammars (`electron.vite.config.ts`), seen from its files and from its chunks. */
const built = [".", ".."].map((up) => join(dirname(fileURLToPath(import.meta.url)), up, "grammars"));

/** A build has no packages next to it, and sources have no build. */
const grammarFile = (name: string): string =>
  built.map((folder) => join(folder, name)).find((file) => existsSync(file)) ??
  createRequire(import.meta.url).resolve(`@vscode/tree-sitter-wasm/wasm/${name}`);

let machine: Promise<void> | null = null;
const loaded = new Map<Grammar, Promise<Language>>();

/**
 * A parser for one grammar. What was loaded is kept: a grammar is a program of up to 1.5 MB that takes some 20 ms to make
 * ready, and never changes. The caller frees the parser.
 */
export async function parserFor(
  grammar: Grammar,
): Promise<{ readonly parser: Parser; readonly language: Language }> {
  machine ??= treeSitter.Parser.init({ locateFile: grammarFile });
  await machine;
  const loading =
    loaded.get(grammar) ??
    readFile(grammarFile(`tree-sitter-${grammar}.wasm`)).then((bytes) => treeSitter.Language.load(bytes));
  loaded.set(grammar, loading);
  const language = await loading;
  return { parser: new treeSitter.Parser().setLanguage(language), language };
}
