/** When this much had been spent: ms since 1970, micro-dollars. */
export type SpendingPoint = readonly [at: number, microDollars: number];

const maxPoints = 240;

/**
 * Adds a point in place. When there are too many, half of them are kept in a new list, evenly over the whole time: the first and
 * the newest are always among them.
 */
export function withPoint(curve: SpendingPoint[], point: SpendingPoint): SpendingPoint[] {
  curve.push(point);
  if (curve.length <= maxPoints) return curve;
  const from = curve[0]?.[0] ?? 0;
  const span = Math.max(1, point[0] - from);
  const partOf = (one: SpendingPoint | undefined): number | null =>
    one === undefined ? null : Math.floor(((one[0] - from) / span) * (maxPoints / 2));
  return curve.filter((one, index) => index === 0 || partOf(one) !== partOf(curve[index + 1]));
}
