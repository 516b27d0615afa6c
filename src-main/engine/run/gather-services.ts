import type { Run } from "../ports.ts";
import type { Services } from "../services.ts";

/**
 * What a run's capabilities do for each other.
 * @throws Error where two provide the same: a mistake of ours
 */
export function gatherServices(run: Run): Services {
  const parts = run.features.map(({ services }) => services?.(run) ?? {});
  const names = parts.flatMap((part) => Object.keys(part));
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  if (twice.length > 0) throw new Error(`Two features provide ${twice.join(", ")}.`);
  // `features.test.ts` checks that all are there, because an interface has no names at run time.
  return Object.assign({}, ...parts) as Services;
}
