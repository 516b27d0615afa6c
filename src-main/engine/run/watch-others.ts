import { singleFlight } from "#shared/async/single-flight.ts";
import type { Repository } from "../../jj/repository-interface.ts";
import type { EngineEvent } from "../engine-interface.ts";
import { warnOf } from "../kernel/notify.ts";

/** Whoever works in a terminal seldom gives one command alone, and a command of ours has ended by then. */
const soonMs = 250;
/**
 * Effects of our own writes, such as a conflict further up, are looked for at this interval even without a
 * trigger.
 */
const nowAndThenMs = 30_000;

/**
 * Detects writes by others (a terminal, another program) without calling jj after each of our own writes: the
 * operation files tell them apart, even if ours came on top at once.
 * @returns stops watching
 */
export function watchOthers(
  repository: Pick<Repository, "watch" | "onlyOwnBetween">,
  look: () => Promise<void>,
  emit: (event: EngineEvent) => void,
): () => void {
  /** Operations up to here have a known writer; the first one is from before the watch. */
  let known = "";
  let newest = "";
  let looked = "";
  let soon: NodeJS.Timeout | null = null;
  let stopped = false;

  // Somebody who writes without a pause gets one look after the other; looks that pile up would never end.
  const lookAround = singleFlight(async () => {
    if (stopped) return;
    looked = newest;
    try {
      await look();
    } catch (error) {
      if (!stopped) warnOf({ emit }, error);
    }
  });
  const decide = async () => {
    soon = null;
    const [before, after] = [known, newest];
    known = after;
    if (!(await repository.onlyOwnBetween(before, after)) && !stopped) await lookAround();
  };
  const nowAndThen = setInterval(() => {
    if (looked !== newest) void lookAround();
  }, nowAndThenMs);
  nowAndThen.unref();

  const stop = repository.watch(
    (operation) => {
      newest = operation;
      known ||= operation;
      soon ??= setTimeout(() => void decide(), soonMs);
    },
    (error) => warnOf({ emit }, error),
  );
  return () => {
    stopped = true;
    if (soon) clearTimeout(soon);
    clearInterval(nowAndThen);
    stop();
  };
}
