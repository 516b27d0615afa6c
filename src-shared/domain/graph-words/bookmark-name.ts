/**
 * Why a bookmark cannot have this name, in words for the person; null when it can. The rules are those of Git's branch
 * names, because every bookmark is exported as one. (HOX-2.2)
 * @param name as it was typed, without white space around it
 */
export function bookmarkNameProblem(name: string): string | null {
  if (name === "") return "Give it a name.";
  if (/\s/u.test(name)) return "A bookmark's name has no spaces.";
  const sign = /[\p{Cc}~^:?*[\\]|@\{|\.\./u.exec(name)?.[0];
  if (sign !== undefined) return `A bookmark's name cannot hold "${sign}".`;
  if (name === "@" || name === "HEAD") return `"${name}" has a meaning of its own.`;
  if (name.startsWith("-") || /^\/|\/\/|\/$/u.test(name) || name.endsWith("."))
    return "A bookmark's name cannot begin with - or /, end with / or a dot, or hold //.";
  if (name.split("/").some((part) => part.startsWith(".") || part.endsWith(".lock")))
    return "No part of a bookmark's name begins with a dot or ends with .lock.";
  return null;
}
