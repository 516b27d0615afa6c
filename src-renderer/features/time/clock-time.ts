const two = (number: number): string => String(number).padStart(2, "0");

/** How long after its beginning something was: `0:07`, `1:02:30`. */
export function clockTime(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return `${hours > 0 ? `${hours}:${two(minutes)}` : String(minutes)}:${two(seconds % 60)}`;
}
