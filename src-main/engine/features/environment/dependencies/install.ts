/** What an installation needs to know of a request, and what of it a person sees before. */
import { installation } from "#shared/domain/dependencies/install-command.ts";
import { type DependencyRequest, formatDependency } from "#shared/domain/dependencies/request.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { type InstallResult, installInCheckout } from "../../../workspaces/install-packages.ts";
import { type Manifests, readManifests, registryFor } from "./registry.ts";

/** What would be run for a request, and what it may reach. */
export async function planOf(run: RunReader, request: DependencyRequest, manifests: Manifests) {
  return {
    ...installation(request, manifests.paths, manifests.texts),
    registry: await registryFor(run, request, manifests),
  };
}

/**
 * Installs, and answers with what came of it. What was there of an interrupted one is thrown away.
 *
 * @param id another one for each installation of the run
 * @throws Interrupted when the run ends meanwhile
 */
export async function install(run: Run, id: string, request: DependencyRequest): Promise<InstallResult> {
  const manifests = await readManifests(run, request.folder);
  const { isolation } = await run.sandbox();
  if (isolation.kind === "seatbelt")
    return {
      kind: "failed",
      words: `Sandboxed commands have no network on this system. Install ${formatDependency(request)} in the repository yourself and start the run on that commit.`,
    };
  const plan = await planOf(run, request, manifests);
  if (plan.problem !== undefined) return { kind: "failed", words: plan.problem };
  return installInCheckout(run, { id, request, commit: manifests.commit, paths: manifests.paths, plan });
}
