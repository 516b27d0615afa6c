import type { Repository, Workspace } from "../../jj/repository-interface.ts";
import { explain } from "../engine-errors.ts";
import type { EngineEvent } from "../engine-interface.ts";

/** Somebody else's operation is looked at soon; among our own, where one may hide, now and then. */
const soonMs = 250;
const nowAndThenMs = 30_000;
const remembered = 1000;

/**
 * Notices what others do to the repository (a terminal, another program) without asking jj after each of our own
 * writes: the operations that come back from our writes are remembered.
 */
export function watchOthers(
  repository: Repository,
  look: () => Promise<void>,
  emit: (event: EngineEvent) => void,
): { readonly repository: Repository; stop(): void } {
  const own = new Set<string>();
  // The watcher may tell of an operation before jj's process, and with it our write, has ended: each one is given
  // the same time to turn out as our own. Operation → when it was seen.
  const unknown = new Map<string, number>();
  let soon: NodeJS.Timeout | null = null;
  let stopped = false;
  let dirty = false;

  const lookAround = async () => {
    dirty = false;
    try {
      await look();
    } catch (error) {
      if (!stopped) emit(noticeOf(error));
    }
  };
  const decide = () => {
    soon = null;
    const now = performance.now();
    let others = false;
    let youngest = 0;
    for (const [operation, seen] of unknown) {
      const isOwn = own.has(operation);
      if (!isOwn && now - seen < soonMs) {
        youngest = Math.max(youngest, seen);
        continue;
      }
      unknown.delete(operation);
      others ||= !isOwn;
    }
    if (youngest > 0) soon = setTimeout(decide, youngest + soonMs - now);
    if (others) void lookAround();
  };
  const nowAndThen = setInterval(() => {
    if (dirty) void lookAround();
  }, nowAndThenMs);
  nowAndThen.unref();

  const remember = <T>(written: T): T => {
    if (typeof written !== "object" || written === null) return written;
    if ("operation" in written) {
      own.add(String(written.operation));
      if (own.size > remembered) own.delete(own.values().next().value ?? "");
    }
    if ("workspace" in written) return { ...written, workspace: noted(written.workspace as Workspace) };
    return written;
  };
  /** Writes of a repository and of its workspaces, remembered as they come back. */
  const noted = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get(_, property) {
        const value: unknown = Reflect.get(target, property, target);
        if (typeof value !== "function") return value;
        return (...args: readonly unknown[]) => {
          const result: unknown = Reflect.apply(value, target, args);
          if (result instanceof Promise) return result.then(remember);
          return property === "workspace" ? noted(result as Workspace) : result;
        };
      },
    });

  const stop = repository.watch(
    (operation) => {
      if (stopped) return;
      dirty = true;
      unknown.set(operation, performance.now());
      soon ??= setTimeout(decide, soonMs);
    },
    (error) => emit(noticeOf(error)),
  );
  return {
    repository: noted(repository),
    stop() {
      stopped = true;
      if (soon) clearTimeout(soon);
      clearInterval(nowAndThen);
      stop();
    },
  };
}

const noticeOf = (error: unknown): EngineEvent => {
  const { message, remedy } = explain(error);
  return { kind: "notice", level: "warning", text: message, remedy };
};
