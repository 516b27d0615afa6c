import { ToolFailure } from "../tool-failure.ts";
import { isNamespaceGone, type NamespaceInit } from "./process-tree.ts";

/** Workspaces with a process that could not be ended: it hangs in the kernel until that releases it. */
const hanging = new Map<string, NamespaceInit>();

export class NamespaceHangs extends ToolFailure {
  readonly init: NamespaceInit;
  constructor(init: NamespaceInit) {
    super(
      "failed",
      `A process of the command can't be killed: it hangs in the kernel (process ${init.pid}). No other command runs in this workspace until it exits.`,
    );
    this.init = init;
  }
}

/** @throws NamespaceHangs while a process of an earlier command is there */
export function refuseHanging(workspace: string): void {
  const init = hanging.get(workspace);
  if (init === undefined) return;
  if (!isNamespaceGone(init)) throw new NamespaceHangs(init);
  hanging.delete(workspace);
}

/** Remembers what cannot be ended. */
export async function rememberHanging<Result>(
  workspace: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NamespaceHangs) hanging.set(workspace, error.init);
    throw error;
  }
}
