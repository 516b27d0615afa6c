import { describe, expect, it } from "vitest";
import type { Family } from "./case.ts";
import { tally } from "./tally.ts";

/** Tries each case of these families a few times, as the user that runs the tests. */
export function shortForm(families: readonly Family[]): void {
  for (const family of families)
    describe.runIf(process.platform === "linux")(family.name, () => {
      for (const one of family.cases) {
        const tries = one.tries?.short ?? 1;
        if (tries === 0) continue;
        it(one.name, async ({ skip }) => {
          const { failed, said, impossible } = await tally(family, one, tries);
          // What this machine cannot try, or nobody could: a kernel without such sockets, a user without a keyring.
          if (impossible !== null) skip(impossible);
          expect({ failed, said: failed > 0 ? said : [] }).toEqual({ failed: 0, said: [] });
        });
      }
    });
}
