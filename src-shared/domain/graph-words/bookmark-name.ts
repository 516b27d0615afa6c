/**
 * Why a bookmark cannot have this name, for the user; null if it can. The rules are those of Git's branch
 * names, because every bookmark is exported as one. (HOX-2.2)
 * @param name as it was typed, without white space around it
 */
export function bookmarkNameProblem(name: string): string | null {
  if (name === "") return "Enter a name.";
  if (/\s/u.test(name)) return "A bookmark name cannot contain spaces.";
  const sign = /[\p{Cc}~^:?*[\\]|@\{|\.\./u.exec(name)?.[0];
  if (sign !== undefined) return `A bookmark name cannot contain "${sign}".`;
  if (name === "@" || name === "HEAD") return `"${name}" is a reserved name.`;
  if (name.startsWith("-") || /^\/|\/\/|\/$/u.test(name) || name.endsWith("."))
    return "A bookmark name cannot start with - or /, end with / or a dot, or contain //.";
  if (name.split("/").some((part) => part.startsWith(".") || part.endsWith(".lock")))
    return "No part of a bookmark name can start with a dot or end with .lock.";
  return null;
}
