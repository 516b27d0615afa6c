import { inOneLine } from "#shared/domain/merge-request/merge-request.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { updatesFor } from "#shared/domain/updates/update-events.ts";
import { background, type Feature } from "../../../kernel/feature.ts";
import { perRun } from "../../../kernel/once.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { isWatch, orchestratorsOf, rootOf } from "../../../workers/hierarchy.ts";

/** Runs, by id, of which a run's root was told: as the journal has it, asked once. */
const introduced = perRun((run: Run) => {
  const known = new Map<string, boolean>();
  return {
    has(other: RunReader): boolean {
      const kept = known.get(other.id) ?? run.journal.step(run.id, stepOf(other)) !== null;
      known.set(other.id, kept);
      return kept;
    },
    add: (other: RunReader) => known.set(other.id, true),
  };
});

const stepOf = ({ id }: RunReader): string => `other-runs/${id}`;

/** Active runs with an approved plan that a run's root does not know of. */
const newcomers = (run: Run): readonly Run[] =>
  isWatch(run) || !isPlanned(run)
    ? []
    : run.others().filter((other) => !isWatch(other) && isPlanned(other) && !introduced(run).has(other));

const isPlanned = (run: RunReader): boolean => run.orchestratorFacts(rootOf(run)).planApproved;

/** More are counted. */
const maxFiles = 12;

function introduction(other: RunReader): string {
  const claims = new Set(
    orchestratorsOf(other).flatMap(
      (name) => other.orchestratorFacts(name).plan?.tasks.flatMap(({ files }) => files) ?? [],
    ),
  );
  const [files, more] = [[...claims].slice(0, maxFiles).map(shownName), claims.size - maxFiles];
  const list = `${files.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return inOneLine(
    `${rootOf(other)} leads another run at the same time: "${other.row.input.goal}". Its plan has ${list || "no files"}. Tell it with inform what changes its work.`,
  );
}

function ending(over: RunReader): string {
  const { landed } = over.facts.landing;
  return landed === null
    ? `The run of ${rootOf(over)} has ended and landed nothing.`
    : `The run of ${rootOf(over)} is complete: its result is on ${landed.bookmark}.`;
}

/** Roots of runs side by side know of each other, and learn how the others end. (HOX-3.1b) */
export const otherRuns: Feature<Run> = {
  name: "other-runs",
  background: [
    background({
      desired: (run: Run) => newcomers(run).map(({ id }) => ({ id: `other-runs/${id}` })),
      async perform(run, { id }) {
        const other = newcomers(run).find((one) => `other-runs/${one.id}` === id);
        if (!other) return;
        run.journal.together(() => {
          run.journal.setStep(run.id, stepOf(other), true);
          run.append(...updatesFor(rootOf(run), "runs", [introduction(other)]));
        });
        introduced(run).add(other);
        // Its own root is to know of this one.
        other.schedule();
      },
      failure: (_, run) => ({ title: `${rootOf(run)} could not be told of another run` }),
    }),
  ],
  async atRunEnd(over) {
    for (const run of over.others()) {
      const step = `${stepOf(over)}/end`;
      if (!introduced(run).has(over) || run.journal.step(run.id, step) !== null) continue;
      run.journal.together(() => {
        run.journal.setStep(run.id, step, true);
        run.append(...updatesFor(rootOf(run), "runs", [ending(over)]));
      });
    }
  },
};
