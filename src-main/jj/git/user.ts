import { tomlData } from "#shared/domain/text/toml.ts";
import { JjError } from "../process/errors.ts";
import { runGit } from "../process/git-process.ts";
import type { Identity, Jj } from "../process/process.ts";

/**
 * Functions that Hox's own reads use. A user's alias of the same name would change the result; keywords are
 * called as methods, which no alias can change.
 */
const functions: Readonly<Record<string, readonly string[]>> = {
  "template-aliases": ["json", "if", "stringify", "self"],
  "revset-aliases": [
    ...["all", "none", "root", "mutable", "immutable", "visible", "hidden", "visible_heads", "present"],
    ...["at_operation", "ancestors", "descendants", "parents", "children", "heads", "roots", "divergent"],
    ...[
      "conflicts",
      "bookmarks",
      "remote_bookmarks",
      "working_copies",
      "description",
      "change_id",
      "commit_id",
    ],
    ...["exactly"],
  ],
};

/**
 * Creates the reader of a user's settings for one repository.
 * @param isMade false if the repository is only Git's so far
 */
export function createUser(jj: Jj, root: string, isMade = true) {
  async function settings(): Promise<ReadonlyMap<string, string>> {
    const { stdout } = await jj.run({
      args: [
        ...(isMade ? ["-R", root, "--ignore-working-copy", "--at-op=@"] : []),
        ...["config", "list"],
        ...["-T", 'self.name() ++ "\\0" ++ self.value() ++ "\\0"'],
      ],
      cwd: root,
      isAnonymous: true,
    });
    const cells = stdout.split("\0");
    const found = new Map<string, string>();
    for (let at = 0; at + 1 < cells.length; at += 2) found.set(cells[at] ?? "", cells[at + 1] ?? "");
    return found;
  }

  const ofGit = async (key: string): Promise<string | undefined> => {
    const { exitCode, stdout } = await runGit({ args: ["config", "--get", key], cwd: root });
    const value = stdout.trim();
    return exitCode === 0 && value !== "" ? value : undefined;
  };

  return {
    /**
     * The author of commits: from jj's configuration, else from Git's, the repository's before the user's. From
     * then on every commit of this repository has it.
     * @returns null if neither has one
     * @throws JjError `config` if an alias replaces what Hox reads with
     */
    async identify(): Promise<Identity | null> {
      const found = await settings();
      refuseShadows(found.keys());
      const own = { name: textOf(found.get("user.name")), email: textOf(found.get("user.email")) };
      const name = own.name ?? (await ofGit("user.name"));
      const email = own.email ?? (await ofGit("user.email"));
      jj.setIdentity({
        ...(own.name === undefined && name !== undefined ? { name } : {}),
        ...(own.email === undefined && email !== undefined ? { email } : {}),
      });
      return name === undefined || email === undefined ? null : { name, email };
    },
  };
}

function textOf(toml: string | undefined): string | undefined {
  if (toml === undefined) return undefined;
  const { value } = tomlData(`value = ${toml}`);
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** `revset-aliases."mutable()"` → the table and the function's name. */
const aliasName = /^(template-aliases|revset-aliases)\."?([A-Za-z_][\w-]*)(\()?/u;

function refuseShadows(names: Iterable<string>): void {
  for (const name of names) {
    const [, table = "", alias = "", isFunction] = aliasName.exec(name) ?? [];
    if (!functions[table]?.includes(alias) || (isFunction === undefined && alias !== "self")) continue;
    throw new JjError({
      kind: "config",
      message: `Your jj configuration redefines ${alias}${isFunction ? "()" : ""} (${name}), which Hox relies on.`,
      remedy: `Rename that alias. To find it, run \`jj config list ${table}\`.`,
    });
  }
}
