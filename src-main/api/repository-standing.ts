import { type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import type { HostEvent, RepositoryState } from "#shared/contract/events.ts";
import type { OpenRepositoryView, RunStatus, WaitingCard } from "#shared/contract/views/open-repositories.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";

/** How the runs of a repository stand, in a few words for those who do not look at it. */
export type RepositoryStatus = Pick<OpenRepositoryView, "runs" | "waiting">;

export const emptyStatus: RepositoryStatus = { runs: [], waiting: [] };

const maxCharacters = 200;

function repositoryStatus({ run, otherRuns = [], inbox }: RepositoryState): RepositoryStatus {
  const all = [...otherRuns.map((one) => one.run), ...(run ? [run] : [])];
  return {
    runs: all.map(runStatus).toSorted((one, other) => Number(isOver(other)) - Number(isOver(one))),
    waiting: waitingIn(inbox),
  };
}

/** How a repository stands after one of its events; the same object where the event does not concern it. */
export function statusAfter(before: RepositoryStatus, event: HostEvent): RepositoryStatus {
  switch (event.kind) {
    case "repository":
      return event.repository === null ? emptyStatus : repositoryStatus(event.repository);
    case "inbox":
      return { ...before, waiting: waitingIn(event.items) };
    case "run": {
      const run = runStatus(event.run);
      if (before.runs.some(({ id }) => id === run.id))
        return { ...before, runs: before.runs.map((one) => (one.id === run.id ? run : one)) };
      // What is over makes room for the next one.
      return { ...before, runs: [...before.runs.filter((one) => !isOver(one)), run] };
    }
    default:
      return before;
  }
}

/** Whether a run ended by this event. */
export const hasEnded = (before: RepositoryStatus, after: RepositoryStatus): boolean =>
  after.runs.some((run) => isOver(run) && before.runs.some((one) => one.id === run.id && !isOver(one)));

const isOver = ({ endedAt }: RunStatus): boolean => endedAt !== null;

const runStatus = (run: RunView): RunStatus => ({
  id: run.id,
  goal: startOf(run.goal, maxCharacters),
  stage: run.stage,
  phase: run.phase,
  phaseTitle: run.planApproved
    ? (run.plan?.phases.find(({ number }) => number === run.phase)?.title ?? null)
    : null,
  paused: run.paused,
  endedAt: run.endedAt,
  endedBy: run.endedBy ?? null,
  landed: run.landed,
  failure: run.failure,
});

/** What nobody waits for is no card that waits. */
const waitingIn = (items: readonly InboxItem[]): readonly WaitingCard[] =>
  items
    .filter((item) => kindOfCard(item).isInert !== true)
    .map((item) => {
      const kind = kindOfCard(item);
      const headline = startOf(kind.headline(item), maxCharacters);
      return { id: item.id, run: item.run, title: kind.title, headline };
    });
