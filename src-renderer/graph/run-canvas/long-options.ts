/** px, by estimate: a letter of the size that options are written in, and a button around them with its key. */
const letterWidth = 7;
const frameWidth = 32;

/**
 * Which options beside each other have to give way where there is little room: those that ask for more than their part
 * of it. What is short is never cut for the sake of what is long.
 * @param room px for all of them
 */
export function longOptions(options: readonly string[], room: number): readonly boolean[] {
  const needed = options.map((option) => option.length * letterWidth + frameWidth);
  const isLong = options.map(() => false);
  let left = room;
  const shortestFirst = needed.map((_, at) => at).sort((a, b) => (needed[a] ?? 0) - (needed[b] ?? 0));
  for (const [done, at] of shortestFirst.entries()) {
    const width = needed[at] ?? 0;
    const share = left / (options.length - done);
    isLong[at] = width > share;
    left -= Math.min(width, share);
  }
  return isLong;
}
