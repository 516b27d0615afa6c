/**
 * A run's landing record follows its branch, whatever moved it: a command of Hox, a terminal, a restore.
 * (design 12)
 */
import { createSerial } from "#shared/async/serial.ts";
import { type Landed, noLanding, reduceLanding } from "#shared/domain/landing/landing-events.ts";
import type { Repository } from "../../jj/ports/repository-interface.ts";
import type { Journal } from "../../journal/journal.ts";
import type { EngineEvent, Landings } from "../engine-interface.ts";
import { failureOf } from "../kernel/best-effort.ts";
import { warnOf } from "../kernel/notify.ts";
import type { Run } from "../ports.ts";

type Branches = Awaited<ReturnType<Repository["branches"]>>;
type Reader = Pick<
  Repository,
  "branches" | "ancestorsAmong" | "isAncestor" | "change" | "descendantsAmong" | "revertsSince"
>;

interface LandingsParts {
  readonly repository: Reader;
  readonly journal: Pick<Journal, "runs" | "landingEvents" | "addEvent">;
  readonly now: () => number;
  /** Runs whose events are read already. */
  readonly shown: () => readonly Pick<Run, "id" | "facts" | "append">[];
  /** Publishes queued events. */
  readonly flush: () => void;
  readonly emit: (event: EngineEvent) => void;
}

export function createLandings(parts: LandingsParts): Landings {
  const { repository, journal, shown, flush, emit } = parts;
  /** Runs that are no longer shown: they change only here. */
  const closed = new Map<string, Landed | null>();
  /** Each branch's position at the last look, and which landings were in it. */
  const looked = new Map<string, string>();
  const serial = createSerial();

  const landings: Landings = {
    of(id) {
      const open = shown().find((run) => run.id === id);
      if (open) return open.facts.landing.landed;
      const known = closed.get(id);
      if (known !== undefined) return known;
      const { landed } = journal.landingEvents(id).reduce(reduceLanding, noLanding);
      closed.set(id, landed);
      return landed;
    },
    tell(id, event) {
      const landed = landings.of(id);
      const after = reduceLanding({ ...noLanding, landed }, event).landed;
      if (after === landed) return;
      const open = shown().find((run) => run.id === id);
      if (open) return open.append(event);
      journal.addEvent(id, event);
      closed.set(id, after);
    },
    follow: () => serial.run("branches", () => look(null)),
    during: (write) =>
      serial.run("branches", async () => {
        const before = await repository.branches();
        const written = await write();
        await look(before);
        return written;
      }),
  };

  /** What was written was written: where it cannot be looked at now, the next look does. */
  async function look(before: Branches | null): Promise<void> {
    const failed = await failureOf(() => followFrom(before));
    if (failed === null) return;
    warnOf({ emit }, failed.error, "Could not check whether landings are still in place");
  }

  async function followFrom(before: Branches | null): Promise<void> {
    const landed = journal.runs().flatMap(({ id }) => onBranch(id, landings.of(id)));
    if (landed.length === 0) return;
    const branches = await repository.branches();
    let hasReported = false;
    for (const [branch, own] of Map.groupBy(landed, ({ bookmark }) => bookmark)) {
      const stands = branches[branch] ?? [];
      const seen = JSON.stringify([stands, own.map(({ to, isUndone }) => [to, isUndone])]);
      if (before === null && looked.get(branch) === seen) continue;
      const updates = await updatesOf(repository, own, stands, before?.[branch] !== undefined);
      for (const { run, isUndone } of updates)
        landings.tell(run, isUndone ? { kind: "LandingRedone" } : { kind: "LandingUndone", at: parts.now() });
      const reverts = await revertsOf(repository, own, stands);
      for (const { run, by } of reverts) landings.tell(run, { kind: "LandingReverted", by });
      hasReported ||= updates.length + reverts.length > 0;
      looked.set(branch, seen);
    }
    if (hasReported) flush();
  }

  return landings;
}

interface OnBranch {
  readonly run: string;
  readonly bookmark: string;
  readonly from: string | null;
  readonly to: string;
  readonly isUndone: boolean;
  readonly isReverted: boolean;
}

const onBranch = (run: string, landed: Landed | null): readonly OnBranch[] =>
  landed
    ? [
        {
          ...{ run, bookmark: landed.bookmark, ...landed.move },
          ...{ isUndone: landed.undoneAt !== null, isReverted: landed.revertedBy !== undefined },
        },
      ]
    : [];

/**
 * Landings on a branch whose record disagrees with the branch.
 * @param wasThere before a write of ours after which this is called
 */
async function updatesOf(
  repository: Reader,
  landings: readonly OnBranch[],
  [tip, ...others]: readonly string[],
  wasThere: boolean,
): Promise<readonly OnBranch[]> {
  // Only the user can resolve a conflicted bookmark.
  if (others.length > 0) return [];
  if (tip === undefined) return wasThere ? landings.filter(({ isUndone }) => !isUndone) : [];
  const below = await repository.ancestorsAmong([...new Set(landings.map(({ to }) => to))], tip);
  const held = new Set([tip, ...below.map(({ commitId }) => commitId)]);
  const updates: OnBranch[] = [];
  for (const landing of landings) {
    const { from, to, isUndone } = landing;
    // A rewritten branch that contains the landing under another id does not count.
    const isNew = isUndone
      ? held.has(to)
      : !held.has(to) && from !== null && (await isAtOrBelow(repository, tip, from));
    if (isNew) updates.push(landing);
  }
  return updates;
}

const isAtOrBelow = async (repository: Reader, tip: string, commit: string): Promise<boolean> =>
  tip === commit ||
  ((await repository.change(commit)) !== null && (await repository.isAncestor(tip, commit)));

/** More are not looked through at once. */
const maxReverts = 50;
/** Landings before these are not looked at any more. */
const maxLandings = 50;

/** The landings on a branch that a later commit on it reverts, wholly or in part. */
async function revertsOf(
  repository: Reader,
  landings: readonly OnBranch[],
  [tip, ...others]: readonly string[],
): Promise<readonly { readonly run: string; readonly by: string }[]> {
  // The newest run is the first.
  const open = landings.filter(({ isUndone, isReverted }) => !isUndone && !isReverted).slice(0, maxLandings);
  if (tip === undefined || others.length > 0 || open.length === 0) return [];
  const reverts = await repository.revertsSince(
    open.map(({ to }) => to),
    tip,
    { limit: maxReverts },
  );
  const ends = open.flatMap(({ from, to }) => (from === null ? [to] : [from, to]));
  const found = new Map<string, string>();
  for (const { by, reverted } of reverts) {
    const after = await repository.descendantsAmong(ends, reverted);
    const holds = new Set(after.map(({ commitId }) => commitId));
    for (const { run, from, to } of open)
      if (holds.has(to) && (from === null || !holds.has(from))) found.set(run, by);
  }
  return [...found].map(([run, by]) => ({ run, by }));
}
