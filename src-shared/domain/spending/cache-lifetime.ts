/**
 * How long the provider caches a conversation. Writing for an hour costs twice the input, for five minutes a
 * quarter more; reading costs next to nothing. So a worker that sleeps longer than five minutes between
 * events pays less with an hour, and one that is called again at once pays less with five minutes.
 */

const fiveMinutes = 5 * 60_000;
const hour = 60 * 60_000;
/** Number of sleeps that predict the next one. */
const remembered = 4;

/**
 * @param sleeps how long it slept between its events so far, in ms, oldest first; without any an hour is
 *   chosen, since plans wait for people and agents take their time
 */
export function cacheLifetime(sleeps: readonly number[]): "5m" | "1h" {
  const last = sleeps.slice(-remembered);
  if (last.length < 2) return "1h";
  return last.some((sleep) => sleep > fiveMinutes && sleep <= hour) ? "1h" : "5m";
}
