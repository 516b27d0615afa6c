/** Where the token for a forge comes from: the environment, else what the user signed in to with `gh` or `glab`. */
import { homedir } from "node:os";
import type { ForgeKind } from "#shared/domain/forge/forge-facts.ts";
import { childEnvironment } from "../config/child-environment.ts";
import { runProgram } from "../processes/run-program.ts";

interface Source {
  /** The host that variables without a host of their own mean. */
  readonly host: string;
  readonly variables: readonly string[];
  /** Names the host of the variables below. */
  readonly hostVariable: string;
  readonly hostVariables: readonly string[];
  readonly program: string;
  readonly args: (host: string) => readonly string[];
}

/** As `gh` and `glab` read them, so that a token reaches no host that these would not send it to. */
const sources: Readonly<Record<ForgeKind, Source>> = {
  github: {
    host: "github.com",
    variables: ["GH_TOKEN", "GITHUB_TOKEN"],
    hostVariable: "GH_HOST",
    hostVariables: ["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"],
    program: "gh",
    args: (host) => ["auth", "token", "--hostname", host],
  },
  gitlab: {
    host: "gitlab.com",
    variables: ["GITLAB_TOKEN", "GITLAB_ACCESS_TOKEN"],
    hostVariable: "GITLAB_HOST",
    hostVariables: ["GITLAB_TOKEN", "GITLAB_ACCESS_TOKEN"],
    program: "glab",
    args: (host) => ["config", "get", "token", "--host", host],
  },
};

/** Asks one of these programs; null: it is not there, or knows no token. */
export type AskProgram = (program: string, args: readonly string[]) => Promise<string | null>;

/**
 * The token for a host.
 * @param host of the forge, with its port
 * @param refused one that the forge took no longer
 * @returns null: there is none, or no other one
 */
export async function findForgeToken(
  forge: ForgeKind,
  host: string,
  env: NodeJS.ProcessEnv,
  ask: AskProgram = askProgram,
  refused: string | null = null,
): Promise<string | null> {
  const source = sources[forge];
  const named = env[source.hostVariable]
    ?.trim()
    .replace(/^https?:\/\//u, "")
    .replace(/\/$/u, "");
  const isPublic = host === source.host || (forge === "github" && host.endsWith(".ghe.com"));
  // GitLab's variable means the host that is named, where one is.
  const isMeant = isPublic && (forge === "github" || named === undefined || named === host);
  const variables = isMeant ? source.variables : named === host ? source.hostVariables : [];
  const found = variables
    .map((name) => env[name]?.trim())
    .filter(isToken)
    .find((one) => one !== refused);
  if (found !== undefined) return found;
  const answer = (await ask(source.program, source.args(host)))?.trim();
  return isToken(answer) && answer !== refused ? answer : null;
}

/** What a header can hold, so that nothing else is ever sent with it. */
const isToken = (text: string | undefined): text is string =>
  text !== undefined && /^[\x21-\x7e]{8,1000}$/u.test(text);

const askProgram: AskProgram = async (program, args) => {
  const chunks: Uint8Array[] = [];
  const { exitCode } = await runProgram(
    // In the user's own folder: what these read in a repository is not theirs alone.
    { program, args, cwd: homedir(), env: childEnvironment("remote"), timeoutMs: 10_000 },
    (bytes) => void chunks.push(bytes),
  );
  return exitCode === 0 ? Buffer.concat(chunks).toString("utf8") : null;
};
