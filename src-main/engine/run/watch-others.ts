import { singleFlight } from "#shared/async/single-flight.ts";
import type { Repository } from "../../jj/repository-interface.ts";
import { explain } from "../engine-errors.ts";
import type { EngineEvent } from "../engine-interface.ts";

/** Whoever works in a terminal seldom gives one command alone, and a command of ours has ended by then. */
const soonMs = 250;
/** What our own writes bring with them, such as a conflict further up, is also looked for where nobody has met it. */
const nowAndThenMs = 30_000;

/**
 * Notices what others do to the repository (a terminal, another program) without asking jj after each of our own
 * writes: what stands in the files of operations tells the two apart, also where ours came on top at once.
 * @returns stops watching
 */
export function watchOthers(
  repository: Pick<Repository, "watch" | "onlyOwnBetween">,
  look: () => Promise<void>,
  emit: (event: EngineEvent) => void,
): () => void {
  /** Up to here is known who wrote; the first one stood before anybody watched. */
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
      if (!stopped) emit(noticeOf(error));
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
    (error) => emit(noticeOf(error)),
  );
  return () => {
    stopped = true;
    if (soon) clearTimeout(soon);
    clearInterval(nowAndThen);
    stop();
  };
}

const noticeOf = (error: unknown): EngineEvent => {
  const { message, remedy } = explain(error);
  return { kind: "notice", level: "warning", text: message, remedy };
};
