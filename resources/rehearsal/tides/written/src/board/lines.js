/** Shared inside the board: how a moment and a height are written. */
export const clock = (at) => at.toISOString().slice(11, 16);
export const metres = (height) => `${(height / 100).toFixed(2)} m`;
