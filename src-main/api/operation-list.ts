import type { HostEvent } from "#shared/contract/events.ts";
import type { Operation } from "#shared/graph/change.ts";
import type { Repository } from "../jj/repository-interface.ts";
import { noticeOf } from "./notice-of.ts";
import { paced } from "./paced.ts";

const shownOperations = 200;
/** The list of operations is followed with at most a tenth of one core. */
const operationsRest = 9;

/** The newest operations of a repository, kept up to date. */
export interface OperationList {
  current(): readonly Operation[];
  /** There may be newer ones. */
  ask(): void;
  /** Resolves when nothing is read any more. */
  stop(): Promise<void>;
}

/**
 * @param signal aborted: nothing is told any more
 * @param isShown whether a window shows the repository; until one does, as in a terminal, nothing is read
 */
export function createOperationList(
  repository: Repository,
  publish: (event: HostEvent) => void,
  { signal, isShown }: { readonly signal: AbortSignal; readonly isShown: () => boolean },
): OperationList {
  let isFollowed = false;
  let operations: readonly Operation[] = [];
  const listing = paced(async () => {
    if (signal.aborted) return;
    try {
      const since = operations[0]?.id;
      const newer = await repository.operations({ limit: shownOperations, ...(since ? { since } : {}) });
      if (newer.length === 0) return;
      const ids = new Set(newer.map((operation) => operation.id));
      const older = operations.filter((operation) => !ids.has(operation.id));
      operations = [...newer, ...older].slice(0, shownOperations);
      publish({ kind: "operations", operations });
    } catch (error) {
      if (!signal.aborted) publish(noticeOf("The operation log could not be read", error));
    }
  }, operationsRest);
  return {
    current: () => operations,
    ask() {
      isFollowed ||= isShown();
      if (isFollowed) listing.ask();
    },
    stop: listing.stop,
  };
}
