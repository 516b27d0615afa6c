import { isOpen } from "#shared/domain/dependencies/dependency-events.ts";
import { settleDependency } from "../../dependencies/settle-dependency.ts";
import { type Action, background, type Feature } from "../../kernel/feature.ts";
import type { Run } from "../../ports.ts";
import type { DependencyLog } from "../../services.ts";

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
  background: [
    background<Run, SettleDependency>({
      desired: openRequests,
      perform: (run, { request }) => settleDependency(run, request),
      failure: () => ({ title: "A package could not be seen to", worker: null, isAsked: false }),
    }),
  ],
};
