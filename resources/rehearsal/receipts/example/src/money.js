/** Whole cents as text. */
export const amount = (cents) => (cents / 100).toFixed(2);
