import { lstat } from "node:fs/promises";
import { identityOf } from "../../disk/folder.ts";
import { ToolFailure } from "../tool-failure.ts";
import type { GuardedPath } from "./guarded-paths.ts";
import type { NamespaceInit } from "./namespace-end.ts";

/**
 * Compares what a sandbox mounted with what was looked at. Mounting goes by names, and a name that somebody else has
 * given to another file meanwhile would bring that one into the sandbox.
 *
 * @throws ToolFailure `failed`, before the command has begun
 */
export async function verifyMounts(
  init: NamespaceInit,
  view: string,
  identity: string,
  guarded: readonly GuardedPath[],
): Promise<void> {
  const inside = `/proc/${init.pid}/root${view}`;
  const expected = [{ path: "", identity }, ...guarded.filter(({ link }) => link === null)];
  for (const one of expected) {
    const path = one.path === "" ? inside : `${inside}/${one.path}`;
    if (identityOf(await lstat(path)) === one.identity) continue;
    throw new ToolFailure(
      "failed",
      `${one.path || "The workspace"} was replaced while the sandbox was being set up, so the command was not run.`,
    );
  }
}
