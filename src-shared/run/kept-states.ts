/** The state after any number of a list's parts, without reducing all of them each time. */

/** One state is cached for this many parts: a jump back begins at the nearest. */
const keptEvery = 128;

/** @returns the state after the first `count` parts; some states and the last one are cached */
export function keptStates<Part, State>(
  parts: readonly Part[],
  empty: State,
  reduce: (state: State, part: Part) => State,
  every = keptEvery,
): (count: number) => State {
  const kept: State[] = [empty];
  let last = { count: 0, state: empty };
  return (wanted) => {
    const count = Math.min(wanted, parts.length);
    const nearest = Math.min(Math.floor(count / every), kept.length - 1);
    const isNearer = last.count <= count && last.count >= nearest * every;
    let at = isNearer ? last.count : nearest * every;
    let state = isNearer ? last.state : (kept[nearest] ?? empty);
    for (; at < count; at++) {
      state = reduce(state, parts[at] as Part);
      if ((at + 1) % every === 0) kept[(at + 1) / every] ??= state;
    }
    last = { count, state };
    return state;
  };
}

/** Monotonic times of a list, for searching: a clock that went back counts as stopped. */
export function risingTimes(parts: readonly { readonly at: number }[]): Float64Array {
  const times = new Float64Array(parts.length);
  let newest = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < times.length; index++) {
    newest = Math.max(newest, parts[index]?.at ?? newest);
    times[index] = newest;
  }
  return times;
}

/** How many of them were not later than `at`. */
export function countUpTo(times: Float64Array, at: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
