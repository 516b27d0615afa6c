/** What tests of attempts begin with: work is accepted by a user, and nothing is chosen or landed by itself. */
import { config } from "./merge-request-script.ts";
import { agreeable, type Fixture } from "./run-fixture.ts";

export const reviewedByUser = config('[merge_requests]\nreview = "user"\n');

/** Whatever a user has to choose waits. */
export const choosesNothing = {
  ...agreeable,
  "merge-request": () => null,
  attempts: () => null,
  land: () => null,
};

export const isChangeThere = async (one: Fixture, change: string | null): Promise<boolean> =>
  (await one.repo.terminal([
    "log",
    "--ignore-working-copy",
    "--no-graph",
    "-r",
    `present(${change})`,
    "-T",
    "1",
  ])) === "1";
