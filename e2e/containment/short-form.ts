import { describe, expect, it } from "vitest";
import type { Case, Family } from "./case.ts";
import { tally } from "./tally.ts";

/** The number of cases of each family that `npm test` tries: the plain ones come first, the others are ways around them. */
const maxPerRun = 6;

/** Tries each case of these families a few times, as the user that runs the tests. @param max in `npm test`, of each family */
export function shortForm(families: readonly Family[], max = maxPerRun): void {
  for (const family of families)
    describe.runIf(process.platform === "linux")(family.name, () => {
      const triesOf = ({ tries }: Case): number => tries?.tests ?? tries?.short ?? 1;
      const cases = family.cases.filter((one) => triesOf(one) > 0);
      for (const [at, one] of cases.entries()) {
        const tries = triesOf(one);
        it(one.name, { tags: at < max ? [] : ["long"] }, async ({ skip }) => {
          const { failed, messages, impossible } = await tally(family, one, tries);
          // Not possible on this machine or for this user: a kernel without such sockets, a user without a keyring.
          if (impossible !== null) skip(impossible);
          expect({ failed, messages: failed > 0 ? messages : [] }).toEqual({ failed: 0, messages: [] });
        });
      }
    });
}
