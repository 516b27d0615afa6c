import { realpathSync } from "node:fs";
import { createSerial } from "#shared/async/serial.ts";

/** Programs that work in a folder, and that nobody trusts. */
export interface Occupant {
  /** Resolves once none of them runs. */
  stop(): Promise<void>;
  /**
   * Lets them continue.
   * @throws Error if one of them ran since `stop`
   */
  resume(): void;
}

const occupants = new Map<string, Set<Occupant>>();
/** In each folder one after the other: what begins to work there waits until it may. */
const turns = createSerial();

/**
 * From now on these programs work in a folder. Waits while the folder has to be quiet.
 * @param folder without links
 * @returns ends that
 */
export const occupyFolder = (folder: string, occupant: Occupant): Promise<() => void> =>
  turns.run(folder, async () => {
    const there = occupants.get(folder) ?? new Set();
    occupants.set(folder, there.add(occupant));
    return () => {
      there.delete(occupant);
      if (there.size === 0 && occupants.get(folder) === there) occupants.delete(folder);
    };
  });

/**
 * Does something while none of a folder's programs runs. Who reads or writes the folder by its paths needs this: a program
 * that exchanges a folder for a link in between would lead it out.
 */
export function whileQuiet<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  const real = withoutLinks(folder);
  // At once where nobody is: a program has to be started before whoever starts it is killed.
  if (!occupants.has(real) && !turns.isBusy(real)) {
    const done = work();
    const settled = done.then(
      () => undefined,
      () => undefined,
    );
    void turns.run(real, () => settled);
    return done;
  }
  return turns.run(real, async () => {
    const stopped: Occupant[] = [];
    try {
      for (const one of occupants.get(real) ?? []) {
        stopped.push(one);
        await one.stop();
      }
      return await work();
    } finally {
      resumeAll(stopped);
    }
  });
}

/** One that is not there has no programs in it. */
function withoutLinks(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

function resumeAll(stopped: readonly Occupant[]): void {
  const failures: unknown[] = [];
  for (const one of stopped)
    try {
      one.resume();
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
}
