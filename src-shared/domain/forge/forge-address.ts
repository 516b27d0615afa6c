/** Addresses of repositories and issues on forges, as users and Git remotes write them. */

/** Where a repository is: the host with its port, in lower case, and the path without `.git`. */
export interface ForgeAddress {
  readonly host: string;
  readonly path: string;
}

/**
 * The address in the URL of a Git remote.
 *
 * @param url `https://…`, `ssh://…`, `git@host:path`; a user, a password and a token in it are dropped
 * @returns null for a folder, and for what has no owner and name
 */
export function parseRemoteUrl(url: string): ForgeAddress | null {
  const parts = partsOf(url);
  if (parts) {
    // The port of SSH is not that of the website.
    const isWeb = parts.scheme === "https" || parts.scheme === "http";
    return addressOf(isWeb ? parts.host : (parts.host.split(":")[0] ?? ""), parts.path);
  }
  const scp = /^(?:[\w.-]{1,100}@)?([\w.-]{2,255}):([^/\\:][^:]*)$/u.exec(url.trim());
  return scp ? addressOf(scp[1] ?? "", scp[2] ?? "") : null;
}

/** The parts of a URL with a host; null for any other text. */
function partsOf(
  text: string,
): { readonly scheme: string; readonly host: string; readonly path: string } | null {
  const found =
    /^(https?|ssh|git):\/\/(?:[^/@\s]{0,500}@)?([\w.-]{1,255}(?::\d{1,5})?)\/([^\s?#]{1,1000})(?:[?#]\S{0,1000})?$/iu.exec(
      text.trim(),
    );
  return found
    ? { scheme: (found[1] ?? "").toLowerCase(), host: found[2] ?? "", path: found[3] ?? "" }
    : null;
}

function addressOf(host: string, path: string): ForgeAddress | null {
  const parts = path.split("/").filter((part) => part !== "");
  const last = parts.pop()?.replace(/\.git$/u, "") ?? "";
  const whole = [...parts, last];
  const isPlain = whole.every((part) => /^[\w.~+-]+$/u.test(part) && part !== "." && part !== "..");
  if (parts.length === 0 || host === "" || !isPlain) return null;
  // GitHub's SSH over the port of HTTPS.
  const name = host.toLowerCase() === "ssh.github.com" ? "github.com" : host.toLowerCase();
  return { host: name, path: whole.join("/") };
}

/** An issue that a user names. */
export interface IssueReference {
  /** Null: one of this repository. */
  readonly address: ForgeAddress | null;
  readonly number: number;
}

/**
 * An issue as a user types it.
 *
 * @param text `33`, `#33`, `https://github.com/owner/name/issues/33` or `https://gitlab.com/group/name/-/issues/33`
 * @returns null for anything else
 */
export function parseIssueReference(text: string): IssueReference | null {
  const plain = /^#?(\d{1,9})$/u.exec(text.trim());
  if (plain) return numbered(null, plain[1]);
  const parts = partsOf(text);
  if (!parts?.scheme.startsWith("http")) return null;
  const found = /^(.{1,500}?)(?:\/-)?\/(?:issues|work_items)\/(\d{1,9})\/?$/u.exec(parts.path);
  const address = found ? addressOf(parts.host, found[1] ?? "") : null;
  return address === null ? null : numbered(address, found?.[2]);
}

const numbered = (address: ForgeAddress | null, digits = ""): IssueReference | null =>
  Number(digits) > 0 ? { address, number: Number(digits) } : null;
