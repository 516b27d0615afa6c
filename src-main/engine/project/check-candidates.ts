/** Which checks a look tries: those that are named, given or found, each as a user may have changed it. */
import type { NamedChecks } from "#shared/domain/project/first-look.ts";
import type { FoundCheck } from "#shared/domain/project/project-facts.ts";
import { checkName } from "../../checks/run-check.ts";
import type { Config } from "../../config/config-interface.ts";

/** The configuration comes first, then what a person gave, then what is found; each speed for itself. */
export function candidatesOf(
  { backpressure }: Config,
  {
    given,
    changed = {},
  }: { readonly given: NamedChecks | null; readonly changed?: Readonly<Record<string, string>> },
  found: readonly FoundCheck[],
): readonly FoundCheck[] {
  const fast = backpressure.fastChecks ?? given?.fast ?? null;
  const slow = backpressure.slowChecks ?? given?.slow ?? null;
  const named = (
    command: string,
    speed: FoundCheck["speed"],
    everyNIterations: number,
    reason: string,
  ): FoundCheck => ({
    name: checkName(command),
    speed,
    everyNIterations,
    reason,
    ways: [{ command, needs: [] }],
    hints: found.find(({ ways }) => ways.some((way) => way.command === command))?.hints ?? [],
  });
  const reason = (isConfigured: boolean): string =>
    isConfigured ? "set in .hox/config.toml" : "set for this run";
  const candidates = [
    ...(fast === null
      ? found.filter(({ speed }) => speed === "fast")
      : fast.map((command) => named(command, "fast", 1, reason(backpressure.fastChecks !== null)))),
    ...(slow === null
      ? found.filter(({ speed }) => speed === "slow")
      : slow.map(({ command, everyNIterations }) =>
          named(command, "slow", everyNIterations, reason(backpressure.slowChecks !== null)),
        )),
  ];
  return candidates.map((one) => changedCheck(one, changed));
}

/** Whatever way it would have run by. */
function changedCheck(check: FoundCheck, changed: Readonly<Record<string, string>>): FoundCheck {
  const instead = check.ways.flatMap(({ command }) => changed[command] ?? [])[0];
  if (instead === undefined) return check;
  return {
    ...check,
    ways: [{ command: instead, needs: [] }],
    reason: `${check.reason}; changed for this run`,
  };
}
