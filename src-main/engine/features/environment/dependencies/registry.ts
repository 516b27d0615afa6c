/** How the files of the shared base say that a dependency is added. */

import { type DependencyFiles, dependencyFiles } from "#shared/domain/dependencies/choose-manager.ts";
import { type RegistryHosts, registryHosts } from "#shared/domain/dependencies/registry-hosts.ts";
import { type DependencyRequest, ecosystemOf } from "#shared/domain/dependencies/request.ts";
import { readDefaultRegistry } from "../../../../tools/usual-registry.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { rootOf, tipOf } from "../../../workers/hierarchy.ts";

export interface Manifests extends DependencyFiles {
  /** The commit below all tasks of the run, to which a dependency is added. */
  readonly commit: string;
  /**
   * From the base that the user chose: only it decides which registries are used. Contracts are written by a
   * model and could name another host.
   */
  readonly chosen: DependencyFiles;
}

/** The current base of the whole run, without agents' work. */
export async function readManifests(run: Run, folder: string): Promise<Manifests> {
  const tip = await run.repository.change(tipOf(run, rootOf(run)));
  if (!tip)
    throw new EngineRefusal(
      "The run's base change is gone.",
      "Undo the operation that abandoned it (`jj undo`), then retry.",
    );
  const { onto } = run.facts;
  return {
    commit: tip.commitId,
    ...(await filesAt(run, tip.commitId, folder)),
    chosen: onto === null ? { paths: [], texts: new Map() } : await filesAt(run, onto.commitId, folder),
  };
}

async function filesAt(run: Run, commit: string, folder: string): Promise<DependencyFiles> {
  const paths = await run.repository.listFiles(commit);
  const texts = await run.repository.readTexts(commit, dependencyFiles(paths, folder), {
    maxFileBytes: 2_000_000,
    maxBytes: 20_000_000,
  });
  return { paths, texts };
}

export interface Registry extends RegistryHosts {
  /** Says to the package manager what it is set to on this machine: in the sandbox it finds none of that. */
  readonly environment: Readonly<Record<string, string>>;
}

/** What an installation may reach. */
export async function registryFor(
  run: RunReader,
  { manager, folder }: Pick<DependencyRequest, "manager" | "folder">,
  { chosen }: Manifests,
): Promise<Registry> {
  const { hosts } = run.config.dependencies;
  const without = registryHosts(manager, chosen, folder, hosts, []);
  if (!without.areDefault || hosts.length > 0) return { ...without, environment: {} };
  const { urls, environment } = await readDefaultRegistry(ecosystemOf(manager));
  return { ...registryHosts(manager, chosen, folder, hosts, urls), environment };
}
