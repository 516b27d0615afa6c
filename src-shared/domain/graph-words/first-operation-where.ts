/** An operation with its parents: several if it merges concurrent ones. */
export interface Step {
  readonly id: string;
  readonly parents: readonly string[];
}

/**
 * The newest operation at which a condition began: it holds there, and at none of its parents. The log is not
 * linear: concurrent operations say nothing about each other.
 *
 * @param steps newest first
 * @param has called at most once for each operation, and only as far back as needed
 * @returns null if no such operation is among them
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
