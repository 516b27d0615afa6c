import { type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import type { HostEvent, RepositoryState } from "#shared/contract/events.ts";
import type {
  OpenRepositoryView,
  RunStanding,
  WaitingCard,
} from "#shared/contract/views/open-repositories.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";

/** How the runs of a repository stand, in a few words for those who do not look at it. */
export type Standing = Pick<OpenRepositoryView, "runs" | "waiting">;

export const noStanding: Standing = { runs: [], waiting: [] };

const mostCharacters = 200;

function standingOf({ run, beside = [], inbox }: RepositoryState): Standing {
  const all = [...beside.map((one) => one.run), ...(run ? [run] : [])];
  return {
    runs: all.map(runStanding).toSorted((one, other) => Number(isOver(other)) - Number(isOver(one))),
    waiting: waitingIn(inbox),
  };
}

/** How a repository stands after one of its events; the same object where the event does not concern it. */
export function standingAfter(before: Standing, event: HostEvent): Standing {
  switch (event.kind) {
    case "repository":
      return event.repository === null ? noStanding : standingOf(event.repository);
    case "inbox":
      return { ...before, waiting: waitingIn(event.items) };
    case "run": {
      const run = runStanding(event.run);
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
export const hasEnded = (before: Standing, after: Standing): boolean =>
  after.runs.some((run) => isOver(run) && before.runs.some((one) => one.id === run.id && !isOver(one)));

const isOver = ({ endedAt }: RunStanding): boolean => endedAt !== null;

const runStanding = (run: RunView): RunStanding => ({
  id: run.id,
  goal: startOf(run.goal, mostCharacters),
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
      const headline = startOf(kind.headline(item), mostCharacters);
      return { id: item.id, run: item.run, title: kind.title, headline };
    });
