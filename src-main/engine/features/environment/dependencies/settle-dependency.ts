/**
 * A dependency request from start to end: a rule or the user decides, then it is installed and committed to
 * the shared base.
 */

import type { ProposedDecision } from "#shared/domain/decision/decision-events.ts";
import { type DependencyFiles, dependencyFiles } from "#shared/domain/dependencies/choose-manager.ts";
import {
  type DependencyDecision,
  type DependencyState,
  decidedRequest,
  isAllowedForRun,
  isOpen,
  sameRequests,
} from "#shared/domain/dependencies/dependency-events.ts";
import { installation } from "#shared/domain/dependencies/install-command.ts";
import { type RegistryHosts, registryHosts } from "#shared/domain/dependencies/registry-hosts.ts";
import {
  type DependencyRequest,
  ecosystemOf,
  formatDependency,
  ruleFor,
  ruleOf,
} from "#shared/domain/dependencies/request.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { updatesFor } from "#shared/domain/updates/update-events.ts";
import type { InstalledPackages } from "#shared/run/events.ts";
import { writeDependencyRule } from "../../../../config/write-settings.ts";
import { removeTree } from "../../../../disk/remove-tree.ts";
import { readDefaultRegistry } from "../../../../tools/default-registry.ts";
import { EngineRefusal, explain, Interrupted } from "../../../engine-errors.ts";
import { inform, warnOf } from "../../../kernel/notify.ts";
import type { Card, Run, RunReader } from "../../../ports.ts";
import { parentOf, rootOf, tipOf, touchedBy } from "../../../workers/hierarchy.ts";
import {
  type Installed,
  type InstallResult,
  installInCheckout,
} from "../../../workspaces/install-packages.ts";
import { installedPackages } from "../../../workspaces/installed-packages.ts";
import { requireSandbox } from "../../../workspaces/sandbox-gate.ts";
import { applyDecision, beforeStep } from "../../decisions/decisions/apply-decision.ts";

/** Retries of an installation whose base moved meanwhile. */
const maxAttempts = 5;

/**
 * Ends by an event that takes the request off the list. Safe to begin again: a decision is in the journal, and what was
 * installed and not applied yet is in a step, or is installed once more.
 */
export async function settleDependency(run: Run, id: string): Promise<void> {
  const now = () => run.facts.dependencies.find((one) => one.id === id && isOpen(one)) ?? null;
  try {
    const asked = now();
    if (asked !== null && asked.decision === null) await decide(run, asked);
    const decided = now();
    if (decided !== null && decided.decision?.kind === "allow") await execute(run, decided);
  } catch (error) {
    if (error instanceof Interrupted || run.runEnded.signal.aborted) return;
    const { message, remedy } = explain(error);
    end(run, id, { kind: "failed", words: `${message} ${remedy}` });
  }
}

async function decide(run: Run, asked: DependencyState): Promise<void> {
  const { id } = asked;
  const decision = await decisionOn(run, asked);
  // Nobody asks any more.
  if (!run.facts.dependencies.some((one) => one.id === id && isOpen(one))) return;
  run.append({ kind: "DependencyChanged", event: { kind: "Decided", id, decision } });
  if (decision.kind === "deny" && decision.by === "rule")
    notifyNotInstalled(run, asked, decision.words, "info");
}

/** Notifies the user and the requesting agents' orchestrators about a package. */
function notifyApplied(
  run: Run,
  what: string,
  applied: {
    readonly askers: DependencyState["askers"];
    readonly paths: readonly string[];
    readonly contradicted: readonly string[];
  },
): void {
  const files = applied.paths.map(shownName).join(" and ");
  const text = `${what} was added for all agents, in ${files}${applied.contradicted.length === 0 ? "" : `; in conflict with it: ${applied.contradicted.join(", ")}`}.`;
  inform(
    run,
    text,
    "To undo it, abandon its change in the graph. After landing, install the package in your own folder too.",
  );
  const parents = new Set(
    applied.askers.filter(({ worker }) => run.workers.has(worker)).map(({ worker }) => parentOf(run, worker)),
  );
  const line = `${applied.askers.map(({ worker }) => worker).join(", ")} asked for a package: ${text}`;
  run.append(...[...parents].flatMap((parent) => updatesFor(parent, "children", [line])));
}

/** One line for the user; the agent receives the full text. */
function notifyNotInstalled(
  run: Run,
  { askers, request }: DependencyState,
  words: string,
  level: "info" | "warning",
): void {
  const [line = ""] = words.split("\n");
  run.emit({
    kind: "notice",
    level,
    text: `${formatDependency(request)}, which ${askers.map(({ worker }) => worker).join(", ")} asked for, was not installed: ${line}`,
    remedy:
      level === "info"
        ? "To allow it, edit [dependencies] in .hox/config.toml."
        : "The agent continues without it. The full output is in its conversation.",
  });
}

async function decisionOn(run: Run, asked: DependencyState): Promise<DependencyDecision> {
  const { id, request } = asked;
  const card = `${run.id}/dependencies/${id}`;
  const passed = (
    by: "user" | "rule" | "run",
    { version = request.version, isForRun = false }: { version?: string | null; isForRun?: boolean } = {},
  ): DependencyDecision => ({ kind: "allow", by, version, isForRun });
  // A card that is on the table, or was answered, stays what decides: the configuration may have changed meanwhile.
  if (run.journal.inboxItem(card) === null) {
    const verdict = ruleFor(request, run.config.dependencies);
    if (verdict.kind === "deny")
      return {
        kind: "deny",
        by: "rule",
        words:
          verdict.rule === null
            ? 'otherwise = "deny" in [dependencies] of .hox/config.toml'
            : `deny = ["${verdict.rule}"] in [dependencies] of .hox/config.toml`,
      };
    if (verdict.kind === "allow") return passed("rule", { version: verdict.version });
    const before = run.facts.dependencies;
    if (isAllowedForRun(before, request)) return passed("run");
    // An approval stays valid after a failed installation; one that the user undid is asked for again.
    if (
      sameRequests(before, request).some(
        ({ decision, outcome }) => decision?.kind === "allow" && outcome?.kind === "failed",
      )
    )
      return passed("user");
  }
  const answer = await run.inbox.ask(card, () => cardOf(run, asked));
  if (answer.kind !== "approve")
    return { kind: "deny", by: "user", words: answer.kind === "reject" ? answer.reason : "" };
  if (answer.remember === "rule") await writeRule(run, ruleOf(request));
  return passed("user", { isForRun: answer.remember !== undefined });
}

async function cardOf(
  run: Run,
  { request, askers }: DependencyState,
): Promise<Extract<Card, { kind: "dependency" }>> {
  const plan = await planOf(run, request, await readManifests(run, request.folder));
  const [first, ...others] = askers;
  const { isolation } = await run.sandbox();
  return {
    kind: "dependency",
    from: first?.worker ?? rootOf(run),
    others: others.map(({ worker }) => worker),
    name: request.name,
    version: request.version,
    dev: request.dev,
    manager: request.manager,
    folder: request.folder,
    why: first?.why ?? "",
    command: plan.command,
    hosts: plan.registry.hosts,
    hostsFrom: plan.registry.reason,
    isSandboxed: isolation.kind !== "none",
    scripts: plan.scripts,
    files: plan.files,
    rule: ruleOf(request),
  };
}

interface Manifests extends DependencyFiles {
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

/**
 * What an installation may reach. `environment` says to the package manager what it is set to on this machine: in the
 * sandbox it finds none of that.
 */
export async function registryFor(
  run: RunReader,
  { manager, folder }: Pick<DependencyRequest, "manager" | "folder">,
  { chosen }: Manifests,
): Promise<RegistryHosts & { readonly environment: Readonly<Record<string, string>> }> {
  const { hosts } = run.config.dependencies;
  const without = registryHosts(manager, chosen, folder, hosts, []);
  if (!without.areDefault || hosts.length > 0) return { ...without, environment: {} };
  const { urls, environment } = await readDefaultRegistry(ecosystemOf(manager));
  return { ...registryHosts(manager, chosen, folder, hosts, urls), environment };
}

/** What would be run for a request, and what it may reach. */
async function planOf(run: RunReader, request: DependencyRequest, manifests: Manifests) {
  return {
    ...installation(request, manifests.paths, manifests.texts),
    registry: await registryFor(run, request, manifests),
  };
}

/**
 * Installs and returns the result. Leftovers of an interrupted installation are removed.
 *
 * @param id different for each installation of the run
 * @throws Interrupted when the run ends meanwhile
 */
async function install(run: Run, id: string, request: DependencyRequest): Promise<InstallResult> {
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

/** The installation continues whether the rule was written or not. */
async function writeRule(run: Run, rule: string): Promise<void> {
  try {
    await writeDependencyRule({ root: run.repository.root, stateFolder: run.stateFolder }, rule);
    inform(run, `Added "${rule}" to [dependencies] allow in .hox/config.toml.`);
  } catch (error) {
    warnOf(run, error);
  }
}

async function execute(run: Run, decided: DependencyState): Promise<void> {
  await requireSandbox(run);
  // Each installation builds on the one before.
  await run.serial.run("install", () => installAndApply(run, decided));
}

async function installAndApply(run: Run, decided: DependencyState): Promise<void> {
  const { id, askers } = decided;
  const request = decidedRequest(decided);
  const what = formatDependency(request);
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    if (run.runEnded.signal.aborted) throw new Interrupted();
    const key = `dependencies/${id}/${attempt}`;
    for (const { worker } of askers)
      if (run.workers.has(worker)) run.setActivity(worker, "waiting", `waiting until ${what} is installed`);
    const result = await run.step<InstallResult>(`${key}/install`, () =>
      install(run, `${id}-${attempt}`, request),
    );
    if (result.kind === "failed") {
      end(run, id, result);
      return;
    }
    const applied = await apply(run, decided, key, result);
    if (applied === null) continue;
    const older = installedPackages(run);
    const { changeId } = applied;
    end(run, id, { kind: "installed", changeId, words: formatInstalled(result), packages: result.packages });
    if (older !== null && older.folder !== result.packages.folder)
      for (const folder of [older.folder, `${older.folder}.home`, `${older.folder}.layers`])
        await removeTree(folder);
    return;
  }
  end(run, id, {
    kind: "failed",
    words: "The base changed repeatedly during the installation. Request it again later.",
  });
}

/** Null: the same files changed meanwhile, so it must be installed again on the new version. */
async function apply(
  run: Run,
  { id, request, askers }: DependencyState,
  key: string,
  { before, after }: Installed,
): Promise<{ readonly changeId: string | null } | null> {
  const paths = Object.keys(after);
  // Already there; only its packages may have been missing.
  if (paths.length === 0) return { changeId: null };
  const [first] = askers;
  const proposed: ProposedDecision = {
    id: `${key}/apply`,
    orchestrator: rootOf(run),
    title: `Add ${formatDependency(request)}${request.folder === "" ? "" : ` to ${request.folder}`}`,
    reason: `${first?.why ?? ""}\n\nAdded with ${request.manager}, asked for by ${askers.map(({ worker }) => worker).join(", ")} (request ${id} of the run).`,
    inReplyTo: null,
  };
  return run.lock.withExclusive(
    touchedBy(run, rootOf(run)),
    async () => {
      // If it was begun before a crash, it resumes: then the files already have their new content.
      const isStarted = run.journal.step(run.id, beforeStep(proposed.id)) !== null;
      if (!isStarted && !(await stand(run, before))) return null;
      const { changeId, contradicted } = await applyDecision(run, proposed, async () => after, {
        tool: true,
      });
      notifyApplied(run, formatDependency(request), { askers, paths, contradicted });
      return { changeId };
    },
    `${formatDependency(request)} is being added`,
  );
}

/** Whether the shared base's files are the same as when the package was installed. */
async function stand(run: Run, texts: Installed["before"]): Promise<boolean> {
  const tip = await run.repository.change(tipOf(run, rootOf(run)));
  if (!tip) return false;
  const there = new Set(await run.repository.listFiles(tip.commitId));
  for (const [path, text] of Object.entries(texts)) {
    const now = there.has(path)
      ? new TextDecoder().decode(await run.repository.readFile(tip.commitId, path))
      : null;
    if (now !== text) return false;
  }
  return true;
}

const formatInstalled = ({ after }: Installed): string =>
  Object.keys(after).length === 0
    ? "It was already in the manifest."
    : `It was added to ${Object.keys(after).map(shownName).join(" and ")}.`;

function end(
  run: Run,
  id: string,
  outcome:
    | { readonly kind: "failed"; readonly words: string }
    | {
        readonly kind: "installed";
        readonly changeId: string | null;
        readonly words: string;
        readonly packages: InstalledPackages;
      },
): void {
  const asked = run.facts.dependencies.find((one) => one.id === id);
  if (outcome.kind === "installed") {
    const { changeId, words, packages } = outcome;
    run.append(
      // From now on all workspaces have these.
      { kind: "PackagesInstalled", packages },
      { kind: "DependencyChanged", event: { kind: "Installed", id, changeId, words } },
    );
  } else run.append({ kind: "DependencyChanged", event: { kind: "Failed", id, words: outcome.words } });
  if (!asked) return;
  for (const { worker } of asked.askers)
    if (run.workers.has(worker))
      run.appendTranscript(worker, {
        kind: "notice",
        text: `${formatDependency(asked.request)}: ${outcome.kind === "installed" ? `installed. ${outcome.words}` : `not installed. ${outcome.words}`}`,
      });
  if (outcome.kind === "failed") notifyNotInstalled(run, asked, outcome.words, "warning");
}
