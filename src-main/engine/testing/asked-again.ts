import type { StandInRequest } from "../../model/stand-in/stand-in.ts";

/**
 * Requests that were sent again, word for word, although their answer was or could have been kept. The only one that
 * may be lost with a process is the one that each worker was waiting for when it ended.
 *
 * @param deaths how many requests there had been each time the process ended
 */
export function askedAgain(
  requests: readonly StandInRequest[],
  deaths: readonly number[],
): readonly string[] {
  const mayBeLost = new Set<StandInRequest>();
  let begun = 0;
  for (const death of deaths) {
    const lastOf = new Map(requests.slice(begun, death).map((request) => [request.seen.role, request]));
    for (const request of lastOf.values()) mayBeLost.add(request);
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
