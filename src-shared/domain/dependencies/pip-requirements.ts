/** Whether a list of requirements names packages of a registry and nothing else, as pip reads it. */

/** `name[extra]`, comparisons of versions, a condition: no address, no path, no variable. */
const requirement =
  /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?\s*(?:\[[a-z0-9._,\s-]*\])?\s*\(?(?:(?:===?|~=|!=|>=|<=|<|>)\s*[a-z0-9.*+!_-]+\s*(?:,\s*)?)*\)?\s*(?:;[\w\s."'<>=!~()+*-]*)?$/iu;
/** Names, versions and a condition are shorter; an expression above takes the square of a line. */
const maxLineLength = 300;
/** pip takes a name with such an ending for a file of the folder. */
const archive = /\.(?:whl|zip|tgz|tbz2?|txz|tlz|tar(?:\.[a-z0-9]+)?)(?:$|[\s[;])/iu;
/** Options that choose among registries and versions. */
const harmless =
  /^(?:(?:--index-url|-i|--extra-index-url|--find-links|-f)[ \t=]+https:\/\/[^\s$]+|--no-index|--pre|--require-hashes|--prefer-binary|--only-binary[ \t=]+:all:)$/u;
const included = /^(?:-r|--requirement|-c|--constraint)[ \t=]*([\w./-]+\.(?:txt|in))$/u;

/**
 * Why pip would do more with a list than install packages of a registry, in sentences for the requester; null
 * if it would not. A path, an address or a repository is built, which runs its code.
 *
 * @param list path of the list
 * @param texts of the files of the commit, as far as they were read
 * @param paths of all files of the commit
 */
export function requirementsProblem(
  list: string,
  texts: ReadonlyMap<string, string>,
  paths: readonly string[],
): string | null {
  const open = [list];
  const seen = new Set<string>();
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const text = texts.get(file);
    if (text === undefined && !paths.includes(file) && file === list) continue;
    const wrong = text === undefined ? `${file} could not be read` : firstWrong(text, file, open);
    if (wrong !== null)
      return `${wrong}. To install it could run code of this repository with the registry's hosts open. Ask for the package with align_request: the user adds it by hand.`;
  }
  return null;
}

/** What is no package of a registry; files that are read in are added to those that are open. */
function firstWrong(text: string, file: string, open: string[]): string | null {
  // pip reads other encodings where a list says so, and ends lines at more signs than others do.
  if (/^\ufeff|[^\t\n\r\x20-\x7e\u00a0-\u2027\u202a-\uffff]/u.test(text) || isRecoded(text))
    return `${file} is written in a way that hides its content`;
  if (/\\\s*$/u.test(text)) return `The last line of ${file} is not at its end`;
  for (const [at, line] of joined(text)) {
    const words = line
      .replace(/(?:^|\s)#.*$/u, "")
      .replace(/\s--hash[=\s]sha\d+:[0-9a-f]+/giu, "")
      .trim();
    if (words.length > maxLineLength) return `A line of ${file} is longer than ${maxLineLength} characters`;
    if (words === "" || harmless.test(words)) continue;
    const [, other] = included.exec(words) ?? [];
    const path = other === undefined ? null : fileNextTo(file, other);
    if (path !== null) open.push(path);
    else if (!requirement.test(words) || archive.test(words))
      return `Line ${at} of ${file} is not a package name with a version: ${words.slice(0, 100)}`;
  }
  return null;
}

const isRecoded = (text: string): boolean =>
  text
    .split(/\r\n|[\r\n]/u, 2)
    .some((line) => /^[ \t\f]*#.*?coding[:=]/u.test(line) && !/coding[:=][ \t]*utf-?8\b/iu.test(line));

/** Lines by their numbers, each with those that continue it. */
function joined(text: string): readonly (readonly [number, string])[] {
  const lines: [number, string][] = [];
  let isOpen = false;
  for (const [index, line] of text.split(/\r\n|[\r\n]/u).entries()) {
    const last = lines.at(-1);
    const part = line.replace(/\\$/u, "");
    if (isOpen && last) last[1] += part;
    else lines.push([index + 1, part]);
    // pip lets no comment be continued.
    isOpen = line.endsWith("\\") && !/(?:^|\s)#/u.test(line);
  }
  return lines;
}

/** A file that another one names, or null where it is none of the repository. */
function fileNextTo(file: string, named: string): string | null {
  if (named.startsWith("/")) return null;
  const names = file.split("/").slice(0, -1);
  for (const name of named.split("/")) {
    if (name === "..") {
      if (names.pop() === undefined) return null;
    } else if (name !== "." && name !== "") names.push(name);
  }
  return names.join("/");
}
