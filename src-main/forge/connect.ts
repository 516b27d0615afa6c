/** Which forge a repository is on, and an account there. */

import { homedir } from "node:os";
import { type ForgeAddress, parseRemoteUrl } from "#shared/domain/forge/forge-address.ts";
import type { ForgeKind, ForgeRepository } from "#shared/domain/forge/forge-facts.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { childEnvironment } from "../config/child-environment.ts";
import { runProgram } from "../processes/run-program.ts";
import { ForgeError } from "./forge-error.ts";
import type { ForgeClock } from "./forge-http.ts";
import type { Forge } from "./forge-interface.ts";
import { createGithub } from "./github.ts";
import { createGitlab } from "./gitlab.ts";

export interface Remote {
  readonly name: string;
  readonly url: string;
}

/** A repository on a forge, and what speaks with it. */
export interface Connected {
  readonly forge: Forge;
  readonly repository: ForgeRepository;
  /** The remote that leads there; null: an address that the user gave. */
  readonly remote: string | null;
}

export interface ConnectOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly clock: ForgeClock;
  /** Default: starts `gh` and `glab`. */
  readonly ask?: AskProgram;
}

/** Accounts of forges, each made once, so that what is known of a rate limit holds for all who ask. */
export function createForges({ env, clock, ask }: ConnectOptions) {
  const forges = new Map<string, Promise<Forge | null>>();

  const create = async (host: string, known: ForgeKind | null): Promise<Forge | null> => {
    const kind = wellKnown(host) ?? known ?? (await probe(host, clock));
    if (kind === null) return null;
    return account(kind, host, await findForgeToken(kind, host, env, ask));
  };
  /** The user may have signed in since. */
  const withToken = async (forge: Forge, host: string): Promise<Forge> => {
    const token = await findForgeToken(forge.kind, host, env, ask);
    if (token === null) return forge;
    const signedIn = account(forge.kind, host, token);
    forges.set(host, Promise.resolve(signedIn));
    return signedIn;
  };
  const account = (kind: ForgeKind, host: string, token: string | null): Forge => {
    const renewToken = (refused: string | null) => findForgeToken(kind, host, env, ask, refused);
    const options = { baseUrl: apiUrl(kind, host), token, renewToken, clock };
    return kind === "github" ? createGithub(options) : createGitlab(options);
  };
  const forgeAt = async (host: string, kind: ForgeKind | null = null): Promise<Forge | null> => {
    const before = forges.get(host);
    const known = before ?? create(host, kind);
    forges.set(host, known);
    try {
      const forge = await known;
      if (before !== undefined && forge?.hasToken === false) return await withToken(forge, host);
      // It may be one later: the host was not reached, or is being set up.
      if (forge === null) forges.delete(host);
      return forge;
    } catch (error) {
      forges.delete(host);
      throw error;
    }
  };

  return {
    clock,
    /** A user says that something is different now: tokens are read again, and what was refused is asked again. */
    forget: () => forges.clear(),
    /**
     * The repository that a remote leads to: `origin`, else the first one that is on a forge.
     * @param known what an earlier look found it to be, so that a host that is down is not taken for none
     * @throws ForgeError `no-forge` where there is none
     */
    async ofRemotes(remotes: readonly Remote[], known: ForgeKind | null = null): Promise<Connected> {
      const ordered = remotes.toSorted((one, other) => rank(one) - rank(other));
      for (const { name, url } of ordered) {
        const address = parseRemoteUrl(url);
        const forge = address && (await forgeAt(address.host, known));
        if (address && forge)
          return { forge, remote: name, repository: await forge.findRepository({ path: address.path }) };
      }
      throw new ForgeError(
        "no-forge",
        remotes.length === 0
          ? "This repository has no remote, so it is on no forge."
          : `No remote of this repository is on GitHub or GitLab (${remotes.map(({ name }) => shownName(name)).join(", ")}).`,
        "Add one with `jj git remote add origin <url>`, or give the URL of an issue.",
      );
    },
    /** The repository at an address that the user gave. @throws ForgeError `not-found` where the host is no forge */
    async ofAddress({ host, path }: ForgeAddress): Promise<Connected> {
      const forge = await forgeAt(host);
      if (forge) return { forge, remote: null, repository: await forge.findRepository({ path }) };
      throw new ForgeError(
        "not-found",
        `${shownName(host)} is no GitHub or GitLab, or did not answer.`,
        "Check the address. Hox supports github.com, GitHub Enterprise Server, gitlab.com and GitLab on other hosts.",
      );
    },
  };
}

export type Forges = ReturnType<typeof createForges>;

const rank = ({ name }: Remote): number => (name === "origin" ? 0 : name === "upstream" ? 1 : 2);

const wellKnown = (host: string): ForgeKind | null =>
  host === "github.com" || host.endsWith(".ghe.com") ? "github" : host === "gitlab.com" ? "gitlab" : null;

/** A token never goes over a network in the clear. */
const originOf = (host: string): string =>
  `${/^(?:127\.0\.0\.1|localhost)(?::\d+)?$/u.test(host) ? "http" : "https"}://${host}`;

function apiUrl(kind: ForgeKind, host: string): string {
  if (kind === "gitlab") return `${originOf(host)}/api/v4`;
  if (host === "github.com") return "https://api.github.com";
  return host.endsWith(".ghe.com") ? `https://api.${host}` : `${originOf(host)}/api/v3`;
}

const probeMs = 5_000;

/** Asks an unknown host, without a token, for what only these two answer. */
async function probe(host: string, clock: ForgeClock): Promise<ForgeKind | null> {
  const answerOf = async (path: string): Promise<Response | null> => {
    const timeout = new AbortController();
    const cancel = clock.after(probeMs, () => timeout.abort());
    try {
      const response = await fetch(`${originOf(host)}${path}`, {
        redirect: "manual",
        signal: timeout.signal,
      });
      await response.body?.cancel();
      return response;
    } catch {
      // A host that does not answer may be a Git server without a website.
      return null;
    } finally {
      cancel();
    }
  };
  const gitlab = await answerOf("/api/v4/version");
  if (gitlab === null) return null;
  if (gitlab.headers.has("x-gitlab-meta")) return "gitlab";
  const github = await answerOf("/api/v3/meta");
  return github?.headers.has("x-github-request-id") ? "github" : null;
}

/** Where the token for a forge comes from: the environment, else what the user signed in to with `gh` or `glab`. */
interface TokenSource {
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
const sources: Readonly<Record<ForgeKind, TokenSource>> = {
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
