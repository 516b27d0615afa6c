import { onTestFinished } from "vitest";
import { createTestClock, tempDir } from "../../testing/kit.ts";
import type { ForgeHttpOptions } from "../forge-http.ts";
import type { Forge, InRepository } from "../forge-interface.ts";
import { createGithub } from "../github.ts";
import { createGitlab } from "../gitlab.ts";
import { createForgeWorld, everything, type ForgeWorld, ownToken, type WorldOptions } from "./forge-world.ts";
import { serveGithub } from "./github-server.ts";
import { serveGitlab } from "./gitlab-server.ts";

/** Both stand-ins, for tables of tests. */
export const standIns = [
  { kind: "github", serve: serveGithub, create: createGithub, apiPath: "/api/v3" },
  { kind: "gitlab", serve: serveGitlab, create: createGitlab, apiPath: "/api/v4" },
] as const;
type StandIn = (typeof standIns)[number];

/** A running stand-in with a repository, and an account on it. */
export async function forgeFixture(
  { serve, create, apiPath }: StandIn,
  {
    world: more = {},
    http = {},
  }: { readonly world?: Partial<WorldOptions>; readonly http?: Partial<ForgeHttpOptions> } = {},
) {
  const clock = createTestClock(Date.UTC(2026, 7, 1, 12));
  const world = createForgeWorld({ folder: tempDir(), now: clock.now, ...more });
  world.tokens.set(ownToken, { user: world.user("me"), permissions: everything });
  const running = await serve(world);
  onTestFinished(running.close);
  const account = (token: string | null = ownToken): Forge =>
    create({ baseUrl: `http://${running.host}${apiPath}`, token, clock, ...http });
  const repository: InRepository = { id: String(world.repository.id), path: world.repository.path };
  return { clock, world, running, account, forge: account(), repository };
}

/** A pushed branch with one commit, and a draft from it. */
export async function draftFrom(
  forge: Forge,
  world: ForgeWorld,
  at: InRepository,
  branch: string,
  base = "main",
) {
  world.commit(branch, `${branch}.txt`, `${branch}\n`, base);
  return forge.createPullRequest(at, { title: `Add ${branch}`, text: "What changed", head: branch, base });
}
