/** What a run knows of the project, by its events. */
import { reduceDependencies } from "#shared/domain/dependencies/dependency-events.ts";
import { addProtectedChange } from "#shared/domain/files/protected-changes.ts";
import { reduceFirstLook } from "#shared/domain/project/first-look.ts";
import { kindsOf } from "./kinds-of.ts";
import type { ProjectEvent } from "./run-events.ts";
import type { RunModel } from "./run-model.ts";

export const isProjectEvent = kindsOf<ProjectEvent>({
  FirstLookChanged: true,
  DependencyChanged: true,
  PackagesInstalled: true,
  CopiesTold: true,
  ProtectedChangeJudged: true,
});

export function projectChanges(model: RunModel, event: ProjectEvent): Partial<RunModel> {
  switch (event.kind) {
    case "FirstLookChanged":
      return { firstLook: reduceFirstLook(model.firstLook, event.event) };
    case "DependencyChanged":
      return { dependencies: reduceDependencies(model.dependencies, event.event) };
    case "PackagesInstalled":
      return { packages: event.packages };
    case "CopiesTold":
      return { areCopiesTold: true };
    case "ProtectedChangeJudged":
      return {
        protectedChanges: addProtectedChange(model.protectedChanges, event.changeId, event.event),
      };
  }
}
