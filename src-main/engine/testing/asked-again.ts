import type { StandInRequest } from "../../model/stand-in/stand-in.ts";

/**
 * Requests that were sent again, word for word, although their answer was or could have been kept. The only one that
 * may be lost with a process is the one that each worker was waiting for when it ended.
 *
 * @param deaths how many requests there had been each time the process ended
 * @param askersOfRole how many conversations may ask at once in the name of one role: a fork asks in its origin's
 */
export function askedAgain(
  requests: readonly StandInRequest[],
  deaths: readonly number[],
  askersOfRole = 1,
): readonly string[] {
  const mayBeLost = new Set<StandInRequest>();
  let begun = 0;
  for (const death of deaths) {
    const asked = Map.groupBy(requests.slice(begun, death), ({ seen }) => seen.role);
    for (const ofRole of asked.values())
      for (const request of ofRole.slice(-askersOfRole)) mayBeLost.add(request);
    begun = death;
  }
  const kept = new Set<string>();
  const again: string[] = [];
  for (const [place, request] of requests.entries()) {
    const words = JSON.stringify(request.body);
    if (kept.has(words))
      again.push(`${place}: ${request.seen.role}, turn ${request.seen.turns}, ${request.place}`);
    if (!mayBeLost.has(request)) kept.add(words);
  }
  return again;
}
