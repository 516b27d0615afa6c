/** Looks at the forge that the user asks for, in place of the next one. */
import { perRun } from "../../../kernel/once.ts";
import type { Run } from "../../../ports.ts";

interface Looks {
  /** Ends the pause; nothing while it is looked. */
  wake: () => void;
  /** Who asked since the last look began, and who waits for its end. */
  asked: (() => void)[];
  waiting: (() => void)[];
}

const looksOf = perRun((_: Run): Looks => ({ wake: () => undefined, asked: [], waiting: [] }));

/** Resolves when it has been looked. */
export function lookNow(run: Run): Promise<void> {
  const looks = looksOf(run);
  return new Promise((resolve) => {
    looks.asked.push(resolve);
    looks.wake();
  });
}

/** Somebody acts on what was seen. */
export function wakeLook(run: Run): void {
  void lookNow(run);
}

/** @param wake begins the next look @returns whether it is wanted at once */
export function lookEnded(run: Run, wake: () => void): boolean {
  const looks = looksOf(run);
  for (const tell of looks.waiting) tell();
  looks.waiting = looks.asked;
  looks.asked = [];
  looks.wake = () => {
    looks.wake = () => undefined;
    looks.waiting = looks.asked;
    looks.asked = [];
    wake();
  };
  return looks.waiting.length > 0;
}

/** Nobody looks any more. */
export function stopLooking(run: Run): void {
  const looks = looksOf(run);
  for (const tell of [...looks.waiting, ...looks.asked]) tell();
  Object.assign(looks, { wake: () => undefined, asked: [], waiting: [] });
}
