/** What a person who looks elsewhere has to know: decisions that wait for them, and how a run ended. */
import { type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import type { OpenRepositoryView, RunStatus } from "#shared/contract/views/open-repositories.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import { runLine } from "../run/stages.ts";

/** What it is read from. */
export interface Watched {
  /** Path of the repository. */
  readonly path: string | null;
  readonly run: RunView | null;
  /** The others that go on, or have just ended. Left out: none. */
  readonly otherRuns?: readonly RunView[];
  readonly inbox: readonly InboxItem[];
}

export interface News {
  /** Two windows show the same notification once. */
  readonly id: string;
  readonly title: string;
  readonly body: string;
  /** The card that it leads to; null: the run. */
  readonly card: string | null;
  readonly run: string;
  /** Of the repository, where that is not the one on screen. */
  readonly path?: string;
}

const ends: readonly RunView["stage"][] = ["complete", "failed", "stopped"];
const maxCharacters = 160;

export const waitingOf = (inbox: readonly InboxItem[]): readonly InboxItem[] =>
  inbox.filter((item) => kindOfCard(item).isInert !== true);

/** The one on screen first. */
export const runsIn = ({ run, otherRuns = [] }: Watched): readonly RunView[] => [
  ...(run ? [run] : []),
  ...otherRuns,
];

/** Whatever was there when a repository was opened is no news. */
export function newsBetween(before: Watched | null, now: Watched): readonly News[] {
  if (before === null || before.path === null || before.path !== now.path) return [];
  const known = new Set(before.inbox.map(({ id }) => id));
  const fresh = waitingOf(now.inbox).filter(({ id }) => !known.has(id));
  const ended = runsIn(now).flatMap(
    (run) => endNews(runsIn(before).find(({ id }) => id === run.id) ?? null, run) ?? [],
  );
  return [...fresh.map(cardNews), ...ended];
}

/** The same of the repositories that are open and not on screen. @param shown path of the one that is, or null */
export function newsElsewhere(
  before: readonly OpenRepositoryView[],
  now: readonly OpenRepositoryView[],
  shown: string | null,
): readonly News[] {
  return now.flatMap(({ path, name, runs, waiting }) => {
    const earlier = before.find((one) => one.path === path);
    if (!earlier || path === shown) return [];
    const fresh = waiting.filter(({ id }) => !earlier.waiting.some((card) => card.id === id));
    const cards = fresh.map(
      ({ id, run, title, headline }): News => ({
        ...{ id, title: `${title}: waiting for you in ${name}`, card: id, run, path },
        body: startOf(headline, maxCharacters),
      }),
    );
    const ended = runs.filter((run) => {
      const known = earlier.runs.find(({ id }) => id === run.id);
      return known !== undefined && hasJustEnded(known, run);
    });
    return [
      ...cards,
      ...ended.map(
        (run): News => ({
          ...{
            id: `${run.id}:${run.stage}`,
            title: `${endLabels[run.stage]} in ${name}`,
            card: null,
            run: run.id,
          },
          ...{ body: startOf(run.failure ? run.failure.reason : run.goal, maxCharacters), path },
        }),
      ),
    ];
  });
}

const endLabels: Partial<Record<RunView["stage"], string>> = {
  complete: "A run is complete",
  failed: "A run failed",
  stopped: "A run stopped at its budget",
};

function cardNews(item: InboxItem): News {
  const kind = kindOfCard(item);
  const body = startOf(kind.headline(item), maxCharacters);
  return { id: item.id, title: `${kind.title}: waiting for you`, body, card: item.id, run: item.run };
}

/** Whether a run came to its end meanwhile. A person who stopped a run knows that it stopped. */
export const hasJustEnded = (
  before: Pick<RunStatus, "stage">,
  run: Pick<RunStatus, "stage"> & Pick<RunView, "endedBy">,
): boolean =>
  !ends.includes(before.stage) &&
  ends.includes(run.stage) &&
  (run.stage !== "stopped" || run.endedBy === "budget");

function endNews(before: RunView | null, run: RunView): News | null {
  if (before === null || !hasJustEnded(before, run)) return null;
  const body = startOf(run.failure ? run.failure.reason : run.goal, maxCharacters);
  return { id: `${run.id}:${run.stage}`, title: runLine(run), body, card: null, run: run.id };
}

/** The window's title: the number of waiting cards, the unseen end of a run, and the repository. */
export function titleOf(waiting: number, unseenEnd: string | null, name: string | null): string {
  const count = waiting > 0 ? `(${waiting}) ` : "";
  const end = unseenEnd === null ? "" : `${unseenEnd} – `;
  return `${count}${end}${name === null ? "" : `${name} – `}Hox`;
}
