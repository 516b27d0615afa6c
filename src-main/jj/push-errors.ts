import { JjError } from "./errors.ts";

/**
 * What a remote or jj has against a push, with the way out. Nothing was pushed then.
 * @returns the error itself where it says enough already
 */
export function explainPushError(error: unknown, bookmark: string): unknown {
  if (!(error instanceof JjError) || error.kind === "timeout" || error.kind === "aborted") return error;
  const { stderr } = error;
  // In our own words already.
  if (stderr === "") return error;
  return new JjError({ kind: "failed", ...messageFor(error, bookmark), stderr, cause: error });
}

/** The remote branch that jj refuses to push to because it does not follow it, as after `git clone`; null for other errors. */
export function untrackedRemote(error: unknown, bookmark: string): string | null {
  const stderr = error instanceof JjError ? error.stderr : "";
  const branch = /Non-tracking remote bookmark (.+) exists/u.exec(stderr)?.[1];
  return branch?.slice(bookmark.length + 1) ?? null;
}

function messageFor(
  { stderr, message }: JjError,
  bookmark: string,
): { readonly message: string; readonly remedy: string } {
  if (/does not recognize required option|requires git/u.test(stderr))
    return {
      message: `${bookmark} was not pushed: the installed git is too old for jj, which requires 2.42 or later.`,
      remedy: `Push with Git: git push <remote> ${bookmark}. Hox detects the push.`,
    };
  if (/unexpectedly moved on the remote/u.test(stderr))
    return {
      message: `${bookmark} has moved on the remote since the last fetch. Nothing was pushed.`,
      remedy: `Fetch with \`jj git fetch\`, merge both sides, then push.`,
    };
  return { message: `${bookmark} was not pushed: ${message}`, remedy: remedyFor(stderr, bookmark) };
}

function remedyFor(stderr: string, bookmark: string): string {
  if (/no author/u.test(stderr))
    return `Set your name and email in jj (\`jj config set --user user.name …\`, and user.email), then \`jj metaedit --update-author -r '::${bookmark} & mutable()'\`.`;
  if (/no description/u.test(stderr)) return "Describe that change, then push.";
  return `Fix that, or try \`jj git push --bookmark ${bookmark}\` in a terminal, where it may ask for a password.`;
}
