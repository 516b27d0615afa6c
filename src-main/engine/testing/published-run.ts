/** Runs whose repository has a remote on a stand-in of a forge. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import type { ForgeClock } from "../../forge/forge-http.ts";
import {
  createForgeWorld,
  everything,
  type ForgeWorld,
  ownToken,
  type WorldPullRequest,
} from "../../forge/testing/forge-world.ts";
import { serveGithub } from "../../forge/testing/github-server.ts";
import { serveGitlab } from "../../forge/testing/gitlab-server.ts";
import { tempDir } from "../../testing/kit.ts";
import { publishedScript, withoutPanel } from "./published-script.ts";
import { forgesOn } from "./quick-forges.ts";
import { agreeable, createFixture, type Fixture } from "./run-fixture.ts";

export interface PublishedOptions {
  readonly kind?: "github" | "gitlab";
  readonly hasStacks?: boolean;
  /** Between looks; requests have the system's. */
  readonly clock?: ForgeClock;
  /** As `gh` and `glab` answer. Default: they are not there, and the token is in the environment. */
  readonly ask?: () => Promise<string | null>;
  readonly files?: Readonly<Record<string, string>>;
}

/** A forge with one repository, and accounts on it. */
export async function runningForge({ kind = "github", hasStacks = true, ask, clock }: PublishedOptions = {}) {
  const world = createForgeWorld({ folder: tempDir(), now: Date.now, hasStacks });
  world.tokens.set(ownToken, { user: world.user("me"), permissions: everything });
  const served = await (kind === "github" ? serveGithub : serveGitlab)(world);
  onTestFinished(served.close);
  const forges = () => forgesOn(served.host, { ...(clock ? { clock } : {}), ...(ask ? { ask } : {}) });
  return { world, served, forges };
}

/** A clone of it, with a host of its own. */
export async function hostOn(
  { served, forges }: Awaited<ReturnType<typeof runningForge>>,
  form: "pull_request" | "stack",
  {
    files = withoutPanel(),
    isFirst = true,
  }: { readonly files?: Readonly<Record<string, string>>; readonly isFirst?: boolean } = {},
): Promise<Fixture> {
  const one = await createFixture({ script: publishedScript, files, forges: forges() });
  await one.repo.terminal(["git", "remote", "add", "origin", served.cloneUrl]);
  if (isFirst) await promisify(execFile)("git", ["-C", one.root, "push", "-q", "-f", "origin", "main"]);
  await one.repo.terminal(["git", "fetch"]);
  // Not the first commit that every such repository is made with.
  if (!isFirst) {
    await one.repo.terminal(["bookmark", "set", "main", "-r", "main@origin", "--allow-backwards"]);
    await one.repo.terminal(["new", "main"]);
  }
  one.answers = { ...agreeable, land: () => ({ kind: "approve", form }) };
  return one;
}

/** Both, for one host. */
export async function published(
  form: "pull_request" | "stack",
  options: PublishedOptions = {},
): Promise<{ readonly one: Fixture; readonly world: ForgeWorld }> {
  const forge = await runningForge(options);
  return { world: forge.world, one: await hostOn(forge, form, options) };
}

export const only = (world: ForgeWorld): WorldPullRequest => {
  const [first, ...others] = world.pullRequests;
  if (!first || others.length > 0) throw new Error(`There are ${world.pullRequests.length} pull requests.`);
  return first;
};
