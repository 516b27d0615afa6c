/**
 * How long a rehearsal takes, as measured from its start to its landing at the usual pace, answered at once.
 * @param seconds what was measured
 */
export const rehearsalTime = (seconds: number): string =>
  `About ${seconds < 50 ? `${Math.ceil(seconds / 10) * 10} seconds` : minutesOf(seconds)} plus your decisions`;

function minutesOf(seconds: number): string {
  const halves = Math.round(seconds / 30);
  return `${Math.floor(halves / 2)}${halves % 2 === 0 ? "" : "½"} ${halves === 2 ? "minute" : "minutes"}`;
}
