const last = new Map<string, Promise<unknown>>();

/**
 * One command after another in each workspace: what is looked at before one begins must not be moved by another.
 * @param workspace an absolute path without links
 */
export async function oneAtATime<Result>(workspace: string, work: () => Promise<Result>): Promise<Result> {
  const before = last.get(workspace);
  const mine = (async () => {
    await before?.catch(() => undefined);
    return work();
  })();
  last.set(workspace, mine);
  try {
    return await mine;
  } finally {
    if (last.get(workspace) === mine) last.delete(workspace);
  }
}
