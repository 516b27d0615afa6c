/** What is told of a package that was asked for. */

import type { DependencyState } from "#shared/domain/dependencies/dependency-events.ts";
import { formatDependency } from "#shared/domain/dependencies/request.ts";
import { newsFor } from "#shared/domain/news/news-events.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { RunReader, RunScreen, RunWriter } from "../../../ports.ts";
import { parentOf } from "../../../workers/hierarchy.ts";

/** To everybody whom it concerns: the person who looks, and the orchestrators of those who asked. */
export function notifyApplied(
  run: RunReader & RunWriter & RunScreen,
  what: string,
  applied: {
    readonly askers: DependencyState["askers"];
    readonly paths: readonly string[];
    readonly contradicted: readonly string[];
  },
): void {
  const files = applied.paths.map(shownName).join(" and ");
  const text = `${what} was added for all agents, in ${files}${applied.contradicted.length === 0 ? "" : `; in conflict with it: ${applied.contradicted.join(", ")}`}.`;
  run.emit({
    kind: "notice",
    level: "info",
    text,
    remedy:
      "To undo it, abandon its change in the graph. After landing, install the package in your own folder too.",
  });
  const parents = new Set(
    applied.askers.filter(({ worker }) => run.workers.has(worker)).map(({ worker }) => parentOf(run, worker)),
  );
  const news = `${applied.askers.map(({ worker }) => worker).join(", ")} asked for a package: ${text}`;
  run.append(...[...parents].flatMap((parent) => newsFor(parent, "children", [news])));
}

/** In one line for whoever looks; the agent is told all of it. */
export function notifyNotInstalled(
  run: RunScreen,
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
