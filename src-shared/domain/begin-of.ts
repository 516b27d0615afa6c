/**
 * The place where something that is so now began: that entry has it, and the one before it has not. Looked for from
 * the newest backwards in growing steps, then by halving; where it came and went several times, a late begin is found.
 *
 * @param entries oldest first
 * @param has asked about few of them: twice the logarithm of how far back it began
 * @returns null when the newest has it not, and when it began before the oldest
 */
export async function beginOf<Entry>(
  entries: readonly Entry[],
  has: (entry: Entry) => Promise<boolean>,
): Promise<number | null> {
  const at = async (place: number): Promise<boolean> => {
    const entry = entries[place];
    return entry !== undefined && (await has(entry));
  };
  let having = entries.length - 1;
  if (!(await at(having))) return null;
  let without = having - 1;
  for (let step = 1; without >= 0 && (await at(without)); step *= 2) {
    having = without;
    without = having === 0 ? -1 : Math.max(0, having - step * 2);
  }
  if (without < 0) return null;
  while (having - without > 1) {
    const middle = Math.floor((without + having) / 2);
    if (await at(middle)) having = middle;
    else without = middle;
  }
  return having;
}
