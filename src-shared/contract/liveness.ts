/** How often a host that has nothing to tell says that it is there (ms). */
export const beatMs = 5_000;

/** After so long without a word (ms) a window says that the host does not answer: two beats in a row did not come. */
export const silenceMs = 2 * beatMs + 2_000;
