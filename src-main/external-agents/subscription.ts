/** An agent's work with its user's own login, in place of an API key: by the user's own program, at its provider alone. */
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { proxyEnvironment } from "../tools/network/command-network.ts";

/** What is special about one make of agent that is logged in. */
export interface SubscriptionAccess {
  /** The user's own program, on PATH, which is logged in, and the variable in which the agent is told to use it. */
  readonly program: string;
  readonly programVariable: string;
  /** Where the program keeps its login: below the home folder, or where a variable of the user's says. */
  readonly folder: string;
  readonly folderVariable: string;
  readonly file: string;
  /** Of its provider, without the one that renews logins: renewed in a copy, the user's own would be void. */
  readonly hosts: readonly string[];
  /** In place of the dialect's. `{login}` is the folder with the login. */
  environment(settings: { readonly model: string | null }): Readonly<Record<string, string>>;
}

/** In the environment of an agent that reaches its provider itself. */
export const throughProxy = proxyEnvironment("{proxy}");

/** The user's login, which is not read here; null: there is none. */
export function findLogin(
  { subscription }: { readonly subscription?: SubscriptionAccess },
  env: NodeJS.ProcessEnv = process.env,
  home: string = homedir(),
): string | null {
  if (subscription === undefined) return null;
  const { folder, folderVariable, file } = subscription;
  const path = join(env[folderVariable]?.trim() || join(home, folder), file);
  return existsSync(path) ? realpathSync(path) : null;
}

/** Differs when a login was renewed or exchanged. */
export function loginStamp(file: string): string {
  const { ino, mtimeNs, size } = statSync(file, { bigint: true });
  return `${ino} ${mtimeNs} ${size}`;
}

/** Shorter values are names and dates. */
const minSecretLength = 20;

/**
 * What of a login has to be hidden wherever an agent repeats it. Hox uses it for nothing else.
 *
 * @returns its secrets with those that it had before; the file is read again when it was renewed
 */
export function followLoginSecrets(file: string): () => readonly string[] {
  const found = new Set<string>();
  let seen = "";
  const read = (): void => {
    const stamp = loginStamp(file);
    if (stamp === seen) return;
    for (const secret of loginSecrets(file)) found.add(secret);
    seen = stamp;
  };
  read();
  return () => {
    // What its user can't read any more, no agent reads either.
    if (existsSync(file)) read();
    return [...found];
  };
}

function loginSecrets(file: string): readonly string[] {
  const text = readFileSync(file, "utf8");
  const found: string[] = [];
  try {
    JSON.parse(text, (_, value: unknown) => {
      if (typeof value === "string" && value.length >= minSecretLength) found.push(value);
    });
  } catch {
    found.push(...text.split(/\s+/u).filter((word) => word.length >= minSecretLength));
  }
  return found;
}
