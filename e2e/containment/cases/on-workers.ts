import { dirname } from "node:path";
import type { Case, Family } from "../case.ts";
import { failed, refused } from "../case.ts";
import { environment } from "./environment.ts";
import { network } from "./network.ts";
import { paths } from "./paths.ts";
import { protectedFiles } from "./protected.ts";

/** The host hides secrets in what a worker sends. */
const isOfHost = ({ name }: Case): boolean => name.startsWith("secret-printed");

const own: Case = {
  name: "read-the-place-of-another-agent",
  source: "own",
  attack: (testBed) =>
    testBed.run(
      `cat ../../*/files/secret; find ${dirname(dirname(testBed.folder))} / -name secret 2>/dev/null | xargs cat; grep -r canary ../.. ${dirname(testBed.folder)}; echo tried`,
    ),
  judge: (testBed) => (testBed.seen.includes("tried") ? refused : failed("the attack did not run")),
};

/** What a command of an agent may not do on the host, it may not do on a worker. */
export const onWorkers: Family = {
  name: "workers",
  cases: [own, ...[paths, protectedFiles, environment, network].flatMap(({ cases }) => cases)]
    .filter((one) => !isOfHost(one))
    .map((one) => ({
      ...one,
      name: `${one.name}-on-a-worker`,
      where: "worker" as const,
      tries: { long: 1, short: one.tries?.short === 0 ? 0 : 1 },
    })),
};
