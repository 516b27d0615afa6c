/**
 * How many there are of something.
 *
 * @param one what one of them is called, of a word that takes an s for several
 * @returns `1 task`, `3 tasks`
 */
export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;
