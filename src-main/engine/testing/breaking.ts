/** Breaks single operations of an engine's journal, repository and sandbox; everything else stays real. */

import type { Repository } from "../../jj/ports/repository-interface.ts";
import type { Workspace } from "../../jj/ports/working-copies.ts";
import { JjError } from "../../jj/process/errors.ts";

/** For calls that answer at once. */
export const broken = (what: string): never => {
  throw new Error(`${what} is broken`);
};
/** For calls of jj. */
export const jjBroken = () => new JjError({ kind: "failed", message: "jj is broken" });

/** A thing of which some calls are answered otherwise; `undefined` lets the call through. */
export function bent<T extends object>(
  target: T,
  call: (name: string, args: readonly unknown[]) => unknown,
): T {
  return new Proxy(target, {
    get(_, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => call(String(property), args) ?? Reflect.apply(value, target, args);
    },
  });
}

/** A repository and the handles of its workspaces; `worker` is the handle's name. */
export function bentRepository(
  repository: Repository,
  call: (name: string, args: readonly unknown[], worker: string | null) => unknown,
): Repository {
  const handle = (workspace: Workspace): Workspace =>
    bent(workspace, (name, args) => call(name, args, workspace.name));
  return bent(repository, (name, args) => {
    if (name === "workspace") return handle(repository.workspace(String(args[0]), String(args[1])));
    if (name === "addWorkspace")
      return repository
        .addWorkspace(args[0] as Parameters<Repository["addWorkspace"]>[0])
        .then((made) => ({ ...made, workspace: handle(made.workspace) }));
    return call(name, args, null);
  });
}

/** Fails each call that `which` names so many times. */
export const failing = (
  times: number,
  which: (name: string, args: readonly unknown[]) => boolean,
  how: () => unknown,
) => {
  let left = times;
  const tried = { count: 0 };
  const call = (name: string, args: readonly unknown[]): unknown => {
    if (!which(name, args)) return undefined;
    tried.count += 1;
    return left-- > 0 ? how() : undefined;
  };
  return { call, tried };
};
