import { awaitedBy, isOpen } from "#shared/domain/dependencies/dependency-events.ts";
import { section } from "#shared/domain/text/prompt-text.ts";
import { type Action, background, type Feature } from "../../kernel/feature.ts";
import type { Run } from "../../ports.ts";
import type { DependencyLog } from "../../services.ts";
import { dependencyLines } from "./dependency-lines.ts";
import { requestDependencyTool, untilDependencies } from "./request-tool.ts";
import { settleDependency } from "./settle-dependency.ts";

interface SettleDependency extends Action {
  readonly request: string;
}

export const openRequests = ({
  dependencies,
}: {
  readonly dependencies: Pick<DependencyLog, "state">;
}): readonly SettleDependency[] =>
  dependencies
    .state()
    .filter(isOpen)
    .map(({ id }) => ({ id: `dependencies/${id}`, request: id }));

/** Packages that agents ask for. */
export const dependencies: Feature<Run> = {
  name: "dependencies",
  agents: {
    tools: (run) => [requestDependencyTool(run)],
    gate: {
      place: 20,
      async pass(run, worker, signal) {
        const hasToWait = awaitedBy(run.dependencies.state(), worker) !== null;
        await untilDependencies(run, worker, signal);
        return hasToWait;
      },
    },
    prompt: [
      {
        place: 120,
        sections: (run, { worker }) => [
          section("Dependencies that you asked for", dependencyLines(run, worker)),
        ],
      },
    ],
  },
  background: [
    background<Run, SettleDependency>({
      desired: openRequests,
      perform: (run, { request }) => settleDependency(run, request),
      failure: () => ({ title: "A package could not be seen to", worker: null, isAsked: false }),
    }),
  ],
};
