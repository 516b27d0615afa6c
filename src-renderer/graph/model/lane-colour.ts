/** The colour of a lane, the same in the log and on the canvas. */
export const laneColour = (lane: number): string => `var(--lane-${lane % 8})`;
