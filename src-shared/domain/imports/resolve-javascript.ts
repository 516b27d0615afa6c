/** What names besides relative paths lead to, read from `package.json` and `tsconfig.json` files. */
export interface JavaScriptNames {
  /** By folder: patterns with at most one `*`, as in `@/*`, and where they lead (repository paths). */
  readonly aliases: ReadonlyMap<string, readonly Alias[]>;
  /** Packages of this repository by name. */
  readonly packages: ReadonlyMap<string, Package>;
}

interface Alias {
  readonly pattern: string;
  readonly targets: readonly string[];
}

interface Package {
  readonly folder: string;
  /** Entry by subpath (`.` or `./x`, with at most one `*`), relative to the folder. */
  readonly entries: readonly Alias[];
}

/**
 * Reads names from manifests. What does not parse, or inherits (`extends`), gives no names.
 * @param manifests texts of `package.json`, `tsconfig*.json` and `jsconfig.json` files by path
 */
export function javaScriptNames(manifests: ReadonlyMap<string, string>): JavaScriptNames {
  const aliases = new Map<string, Alias[]>();
  const packages = new Map<string, Package>();
  for (const [path, text] of manifests) {
    const folder = folderOf(path);
    const file = path.slice(folder === "" ? 0 : folder.length + 1);
    const manifest = parsed(text);
    if (manifest === null) continue;
    const mine = aliases.get(folder) ?? [];
    aliases.set(folder, mine);
    if (file === "package.json") {
      mine.push(...table(manifest.imports, folder));
      if (typeof manifest.name === "string")
        packages.set(manifest.name, { folder, entries: entriesOf(manifest) });
    } else if (/^[jt]sconfig[^/]*\.json$/u.test(file)) {
      const options = record(manifest.compilerOptions);
      const base = typeof options?.baseUrl === "string" ? options.baseUrl : ".";
      mine.push(...table(options?.paths, joined(folder, base) ?? folder));
      if (typeof options?.baseUrl === "string")
        mine.push({ pattern: "*", targets: [`${joined(folder, base) ?? folder}/*`] });
    }
  }
  return { aliases, packages };
}

/**
 * The file of the repository that a specifier names; null for packages from outside and for what is not there.
 * TypeScript's habit of writing `.js` for a `.ts` file is understood.
 */
export function resolveJavaScript(
  from: string,
  specifier: string,
  files: ReadonlySet<string>,
  names: JavaScriptNames,
): string | null {
  // Bundlers take words for themselves behind a question mark.
  const bare = specifier.split("?", 1)[0] ?? "";
  if (/^\.{1,2}(?:\/|$)/u.test(bare)) return moduleFile(joined(folderOf(from), bare), files);
  if (/^(?:[a-z]+:|\/)/u.test(bare)) return null;
  for (const folder of foldersAround(folderOf(from)))
    for (const alias of names.aliases.get(folder) ?? []) {
      const file = through(alias, bare, files);
      if (file !== null) return file;
    }
  const [name, subpath] = packageOf(bare);
  const owner = names.packages.get(name);
  if (!owner) return null;
  for (const entry of owner.entries) {
    const file = through(
      { ...entry, targets: entry.targets.map((target) => `${owner.folder}/${target}`) },
      subpath,
      files,
    );
    if (file !== null) return file;
  }
  return (
    moduleFile(joined(owner.folder, subpath), files) ??
    moduleFile(joined(owner.folder, "src", subpath), files)
  );
}

function through(alias: Alias, name: string, files: ReadonlySet<string>): string | null {
  const [start = "", end] = alias.pattern.split("*");
  const fits =
    end === undefined
      ? name === alias.pattern
      : name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end);
  if (!fits) return null;
  const middle = end === undefined ? "" : name.slice(start.length, name.length - end.length);
  for (const target of alias.targets) {
    const file = moduleFile(joined(target.replace("*", () => middle)), files);
    if (file !== null) return file;
  }
  return null;
}

const extensions = ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"];
const written: Readonly<Record<string, readonly string[]>> = {
  js: ["ts", "tsx"],
  jsx: ["tsx"],
  mjs: ["mts"],
  cjs: ["cts"],
};

function moduleFile(base: string | null, files: ReadonlySet<string>): string | null {
  if (base === null) return null;
  if (files.has(base)) return base;
  const ending = /\.([cm]?jsx?)$/u.exec(base)?.[1] ?? "";
  const stem = base.slice(0, base.length - ending.length);
  const candidates = [
    ...(written[ending] ?? []).map((extension) => `${stem}${extension}`),
    ...extensions.map((extension) => `${base}.${extension}`),
    ...extensions.map((extension) => joined(base, `index.${extension}`) ?? ""),
    `${base}.d.ts`,
  ];
  return candidates.find((candidate) => files.has(candidate)) ?? null;
}

function packageOf(specifier: string): readonly [string, string] {
  const parts = specifier.split("/");
  const length = specifier.startsWith("@") ? 2 : 1;
  const rest = parts.slice(length).join("/");
  return [parts.slice(0, length).join("/"), rest === "" ? "." : `./${rest}`];
}

function entriesOf(manifest: Readonly<Record<string, unknown>>): readonly Alias[] {
  const exported = manifest.exports;
  const subpaths = record(exported);
  const isTable = subpaths !== null && Object.keys(subpaths).every((key) => key.startsWith("."));
  const main = [manifest.source, manifest.module, manifest.main, manifest.types].flatMap(strings);
  return [
    ...(isTable ? table(subpaths, "") : [{ pattern: ".", targets: strings(exported) }]),
    { pattern: ".", targets: [...main, "index", "src/index"] },
  ];
}

const table = (value: unknown, folder: string): readonly Alias[] =>
  Object.entries(record(value) ?? {}).map(([pattern, target]) => ({
    pattern,
    targets: strings(target).map((one) => (folder === "" ? one : `${folder}/${one}`)),
  }));

/** Every text in a value: conditions and fallbacks are all tried. */
const strings = (value: unknown): readonly string[] =>
  typeof value === "string"
    ? [value]
    : Array.isArray(value)
      ? value.flatMap(strings)
      : Object.values(record(value) ?? {}).flatMap(strings);

const record = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null;

/** JSON as TypeScript reads it: with comments and trailing commas. */
function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return record(JSON.parse(plainJson(text)));
  } catch {
    return null;
  }
}

/**
 * JSON as TypeScript reads it, made plain: comments and commas before a closing bracket are left out. Each sign is read once.
 *
 * @returns a text for `JSON.parse`
 */
export function plainJson(text: string): string {
  let plain = "";
  /** A comma, and the spaces behind it, of which it is not known yet whether it counts. */
  let pending = "";
  for (let at = text.startsWith("\ufeff") ? 1 : 0; at < text.length; ) {
    const end = endOfToken(text, at);
    const token = text.slice(at, end);
    at = end;
    if (token.startsWith("//") || token.startsWith("/*")) continue;
    if (token === ",") {
      plain += pending;
      pending = token;
    } else if (pending !== "" && token.trim() === "") pending += token;
    else {
      plain += token === "]" || token === "}" ? pending.slice(1) : pending;
      plain += token;
      pending = "";
    }
  }
  return plain + pending;
}

/** Where a text in quotes, a comment or a single sign ends. */
function endOfToken(text: string, at: number): number {
  const after = (sign: string): number => {
    const end = text.indexOf(sign, at + 2);
    return end < 0 ? text.length : end;
  };
  if (text.startsWith("//", at)) return after("\n");
  if (text.startsWith("/*", at)) return Math.min(text.length, after("*/") + 2);
  if (text[at] !== '"') return at + 1;
  let end = at + 1;
  while (end < text.length && text[end] !== '"' && text[end] !== "\n") end += text[end] === "\\" ? 2 : 1;
  return Math.min(text.length, end + 1);
}

/** Folder of a repository path; empty for the root. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/**
 * Joins repository paths and takes out `.` and `..`.
 * @returns the path without a leading slash, or null when it leaves the repository
 */
export function joined(...parts: readonly string[]): string | null {
  const path: string[] = [];
  for (const part of parts.join("/").split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") path.push(part);
    else if (path.pop() === undefined) return null;
  }
  return path.join("/");
}

/** The folder and all folders around it, innermost first, the root (an empty text) last. */
export function foldersAround(folder: string): readonly string[] {
  const folders = [folder];
  for (let one = folder; one !== ""; ) {
    one = folderOf(one);
    folders.push(one);
  }
  return folders;
}
