import { awaitedBy, type Dependencies, isOpen } from "#shared/domain/dependencies/dependency-events.ts";
import { section } from "#shared/domain/text/prompt-text.ts";
import { type Action, background, type Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { dependencyLines } from "./dependency-lines.ts";
import { openDependency, requestDependencyTool, untilDependencies } from "./request-tool.ts";
import { settleDependency } from "./settle-dependency.ts";

interface SettleDependency extends Action {
  readonly request: string;
}

export const openRequests = ({
  facts,
}: {
  readonly facts: { readonly dependencies: Dependencies };
}): readonly SettleDependency[] =>
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
    background<Run, SettleDependency>({
      desired: openRequests,
      perform: (run, { request }) => settleDependency(run, request),
      failure: () => ({ title: "Package request failed", worker: null, isAsked: false }),
    }),
  ],
};
