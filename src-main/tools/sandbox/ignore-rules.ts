import createIgnore, { type Ignore } from "ignore";
import { type Folder, isDenied } from "../../disk/folder.ts";

/** Size limit of a rules file. */
const maxBytes = 1_000_000;

interface Level {
  /** The folder that the rules are written for, relative to the root; "" for the root. */
  readonly folder: string;
  readonly rules: Ignore;
}

/** What the `.gitignore` files on the way to a folder leave out of commits. The deepest that says something decides. */
export class IgnoreRules {
  static readonly none = new IgnoreRules([]);
  readonly #levels: readonly Level[];

  private constructor(levels: readonly Level[]) {
    this.#levels = levels;
  }

  /** With the rules of one more folder, where it has any that can be read. */
  async with(folder: Folder, path: string): Promise<IgnoreRules> {
    const text = await readRules(folder);
    return text === null ? this : this.withText(text, path);
  }

  /** With rules written for one more folder. */
  withText(text: string, path: string): IgnoreRules {
    const rules = createIgnore({ ignorecase: false, allowRelativePaths: true }).add(text);
    return new IgnoreRules([{ folder: path, rules }, ...this.#levels]);
  }

  /** Of an entry whose folders are none of them ignored. */
  ignores(path: string, isFolder: boolean): boolean {
    for (const { folder, rules } of this.#levels) {
      const inside = folder === "" ? path : path.slice(folder.length + 1);
      const match = rules.test(isFolder ? `${inside}/` : inside);
      if (match.ignored || match.unignored) return match.ignored;
    }
    return false;
  }
}

/** Null where there are none that can be read. Rules that are closed to us are none: so what they hide is looked at. */
export async function readRules(folder: Folder): Promise<string | null> {
  try {
    const file = await folder.readFile(".gitignore", maxBytes);
    return "bytes" in file ? file.bytes.toString("utf8") : null;
  } catch (error) {
    if (isDenied(error)) return null;
    throw error;
  }
}
