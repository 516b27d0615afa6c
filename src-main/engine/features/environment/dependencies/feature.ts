import { z } from "zod";
import { chooseManager } from "#shared/domain/dependencies/choose-manager.ts";
import {
  awaitedBy,
  type Dependencies,
  isOpen,
  sameRequests,
} from "#shared/domain/dependencies/dependency-events.ts";
import { installation } from "#shared/domain/dependencies/install-command.ts";
import {
  type DependencyRequest,
  formatDependency,
  packageManagers,
  requestProblem,
} from "#shared/domain/dependencies/request.ts";
import { trimEndOf } from "#shared/domain/text/format-text.ts";
import { type PromptText, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import type { Tool, ToolOutcome, ToolSignal } from "../../../../tools/tool-interface.ts";
import { defineTool } from "../../../../tools/tool-interface.ts";
import { background, type Feature } from "../../../kernel/feature.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { readManifests, registryFor, settleDependency } from "./settle-dependency.ts";

export const openRequests = ({ facts }: { readonly facts: { readonly dependencies: Dependencies } }) =>
  facts.dependencies.filter(isOpen).map(({ id }) => ({ id: `dependencies/${id}`, request: id }));

/** Packages that agents ask for. */
export const dependencies: Feature<Run> = {
  name: "dependencies",
  agents: {
    tools: (run) => [requestDependencyTool(run)],
    onSignal(run, worker, signal) {
      if (signal.kind === "dependency-request") openDependency(run, worker, signal);
    },
    gate: {
      name: "dependencies",
      async pass(run, worker, signal) {
        const hasToWait = awaitedBy(run.facts.dependencies, worker) !== null;
        await untilDependencies(run, worker, signal);
        return hasToWait;
      },
    },
    prompt: {
      dependencies: (run, { worker }) => [
        section("Dependencies that you asked for", dependencyLines(run, worker)),
      ],
    },
  },
  background: [
    background({
      desired: (run: Run) => openRequests(run),
      perform: (run, { request }) => settleDependency(run, request),
      failure: () => ({ title: "Package request failed" }),
    }),
  ],
};

const input = z.strictObject({
  name: z.string().min(1).max(300).describe("Of the package, alone: no version, option, path or address."),
  version: z.string().min(1).max(100).optional().describe("As its manager takes it; default: the newest."),
  why: z.string().min(1).max(1_000).describe("What you need it for, for the user who decides."),
  dev: z.boolean().optional().describe("True: for developing alone, as a test runner."),
  folder: z
    .string()
    .max(500)
    .regex(/^(?:\.|(?![/.])[^\0\r\n\\]*)$/u, "must be a folder of the repository")
    .optional()
    .describe("Where its manifest is, in a repository of several packages; default: the root."),
  manager: z.enum(packageManagers).optional().describe("Only where a folder has several, or none yet."),
});

/** So often is the same thing tried that failed before. */
const maxFailures = 2;

/**
 * How an agent asks for a package, and waits for it.
 *
 * Does nothing but look and make a signal, so it may be run again after a crash. The request counts when the iteration
 * that it ends is kept.
 */
const requestDependencyTool = (run: Run): Tool =>
  defineTool<z.infer<typeof input>>({
    name: "request_dependency",
    description:
      "Asks for a package from the registry of the project. Use it when the task needs one that is not there. The user or a rule decides; then it is installed outside of " +
      "your sandbox, and added to the manifest and the lock file of all agents. Your iteration ends with it. Never write " +
      "a manifest or a lock file by hand for that.",
    input,
    writes: true,
    onlySignals: true,
    async run({ name, version, why, dev = false, folder: asked, manager: named }) {
      const folder = trimEndOf((asked ?? "").replace(/^\.$/u, ""), "/");
      if (folder.split("/").includes("..")) return refused("The folder must be one of the repository.");
      const manifests = await readManifests(run, folder);
      const chosen = chooseManager(manifests, folder, named ?? null);
      if ("problem" in chosen) return refused(chosen.problem);
      const request: DependencyRequest = {
        manager: chosen.manager,
        folder,
        name,
        version: version ?? null,
        dev,
      };
      const problem = requestProblem(chosen.manager, request);
      if (problem !== null) return { ok: false, error: "invalid-input", output: problem };
      const { problem: cannot } = installation(request, manifests.paths, manifests.texts);
      if (cannot !== undefined) return refused(cannot);
      const { hosts, problems } = await registryFor(run, request, manifests);
      if (hosts.length === 0 || problems.length > 0)
        return refused(
          `${problems.join(" ") || `The registry of ${chosen.manager} is unknown.`} Continue without it; the user can set hosts in [dependencies] of .hox/config.toml.`,
        );
      return answered(run, request) ?? asks(request, why);
    },
  });

const asks = (request: DependencyRequest, why: string): ToolOutcome => ({
  ok: true,
  output: "Requested. Your next prompt has the result.",
  signal: { kind: "dependency-request", request, why },
});

const refused = (output: string): ToolOutcome => ({ ok: false, error: "not-allowed", output });

/** What is known of the same request already; null: it has to be asked. */
function answered(run: RunReader, request: DependencyRequest): ToolOutcome | null {
  const same = sameRequests(run.facts.dependencies, request);
  const last = same.at(-1);
  if (last === undefined || isOpen(last)) return null;
  const what = formatDependency(request);
  if (last.decision?.kind === "deny")
    return refused(
      `${what} was asked for and refused${last.decision.words === "" ? "" : `: ${last.decision.words}`}. Continue without it.`,
    );
  if (last.outcome?.kind === "installed" && stands(run, last.outcome.changeId))
    return { ok: true, output: `${what} is installed already. ${last.outcome.words}` };
  const failures = same.flatMap(({ outcome }) => (outcome?.kind === "failed" ? [outcome.words] : []));
  return failures.length >= maxFailures
    ? refused(`${what} failed ${failures.length} times. The last time: ${failures.at(-1)}`)
    : null;
}

/** The user may have undone its change. */
const stands = (run: RunReader, changeId: string | null): boolean =>
  changeId === null || run.facts.decisions.some((one) => one.changeId === changeId);

/**
 * Records a request together with the end of the iteration. A request for a package that is already open
 * joins it.
 */
function openDependency(
  run: Run,
  worker: string,
  { request, why }: Extract<ToolSignal, { kind: "dependency-request" }>,
): void {
  const state = run.facts.dependencies;
  const open = sameRequests(state, request).find(isOpen);
  run.append({
    kind: "DependencyChanged",
    event: {
      kind: "Requested",
      id: open?.id ?? String(state.length + 1),
      worker,
      why,
      request,
    },
  });
}

/** Waits while something that the worker asked for is decided or installed. */
async function untilDependencies(run: Run, worker: string, signal: AbortSignal): Promise<void> {
  const awaited = () => awaitedBy(run.facts.dependencies, worker);
  const cancelled = AbortSignal.any([signal, run.runEnded.signal]);
  for (let one = awaited(); one !== null; one = awaited()) {
    const { id, decision, request } = one;
    const what = formatDependency(request);
    run.setActivity(
      worker,
      "waiting",
      decision === null ? `waiting for a decision on ${what}` : `waiting until ${what} is installed`,
    );
    await run.waiters.until(() => {
      const now = run.facts.dependencies.find((other) => other.id === id);
      return now?.decision !== decision || now === undefined || !isOpen(now);
    }, cancelled);
  }
}

/** What became of what an agent asked for, in lines for its prompt. */
function dependencyLines(run: RunReader, worker: string): readonly PromptText[] {
  return run.facts.dependencies.flatMap((one): readonly PromptText[] => {
    const { request, askers, decision, outcome } = one;
    if (!askers.some((asker) => asker.worker === worker) || outcome?.kind === "withdrawn") return [];
    const what = `${formatDependency(request)} (${request.manager})`;
    if (outcome?.kind === "installed")
      return [
        promptLine`- ${what}: installed. It is in the manifest and the lock file of your files, and its packages are there. Do not edit those by hand.`,
      ];
    if (outcome?.kind === "failed")
      return [
        promptLine`- ${what}: could not be installed, and nothing was changed. Continue without it, or ask for a package that can be installed.`,
        quoteText(outcome.words),
      ];
    if (decision?.kind === "deny")
      return [
        promptLine`- ${what}: refused${decision.by === "rule" ? " by a rule of the configuration" : " by the user"}. Go on without it.`,
        ...(decision.words === "" ? [] : [quoteText(decision.words)]),
      ];
    return isOpen(one) ? [promptLine`- ${what}: not decided yet.`] : [];
  });
}
