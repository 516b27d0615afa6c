/** An operation of the log and those that it stands on: several where two were made at the same moment. */
export interface Step {
  readonly id: string;
  readonly parents: readonly string[];
}

/**
 * The newest operation with which something began: it is so there, and at none of those that the operation stands on.
 * The log is no line: what was made beside it at the same moment says nothing of it.
 *
 * @param steps newest first
 * @param has asked at most once for each operation, and only as far back as needed
 * @returns null when no such operation is among them
 */
export async function beginOf<Entry extends Step>(
  steps: readonly Entry[],
  has: (operation: string) => Promise<boolean>,
): Promise<Entry | null> {
  const known = new Map<string, boolean>();
  const at = async (operation: string): Promise<boolean> => {
    const answer = known.get(operation) ?? (await has(operation));
    known.set(operation, answer);
    return answer;
  };
  for (const step of steps) {
    if (!(await at(step.id))) continue;
    let before = false;
    for (const parent of step.parents) before ||= await at(parent);
    if (!before) return step;
  }
  return null;
}
