/** What kind of work a part of a run is, for what such work took before. */
import type { WorkerRole } from "../worker/worker-record.ts";

/** A task that only writes tests, or only prose, takes other time and money than one that writes code. */
export type WorkKind = "orchestration" | "code" | "tests" | "prose" | "integration" | "votes" | "beside";

const isTest = (path: string): boolean =>
  /(?:^|\/)(?:tests?|__tests__|spec|e2e)\/|[._-](?:test|spec)\.[^/]+$|(?:^|\/)test_[^/]+$/iu.test(path);

const isProse = (path: string): boolean =>
  /\.(?:md|mdx|rst|adoc|txt)$|(?:^|\/)(?:docs?|licen[cs]e|changelog|readme)(?:\/|$)/iu.test(path);

/**
 * @param files that a task may touch, as its plan claims them; none says nothing, and counts as code
 */
export function kindOfTask(files: readonly string[]): WorkKind {
  if (files.length === 0) return "code";
  if (files.every(isTest)) return "tests";
  return files.every((path) => isProse(path) && !isTest(path)) ? "prose" : "code";
}

const kinds: Readonly<Record<Exclude<WorkerRole, "agent">, WorkKind>> = {
  orchestrator: "orchestration",
  integrator: "integration",
  validator: "votes",
  reviewer: "beside",
  archangel: "beside",
  fork: "beside",
};

/** @param files of its task; of an agent only */
export const kindOfWorker = (role: WorkerRole, files: readonly string[]): WorkKind =>
  role === "agent" ? kindOfTask(files) : kinds[role];
