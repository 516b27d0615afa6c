import { Interrupted } from "../engine-errors.ts";

/** Work that no course waits for, each piece once at a time. */
export interface Background {
  begin(id: string, work: () => Promise<void>): void;
}

/**
 * @param onFailure told of what a piece of work could not put before a person itself: as where an action fails, nothing may
 *   go on beyond it
 * @param onEnd what came in the moment in which one ended is looked at too; not called after a failure, which would only
 *   begin the same again
 */
export function createBackground(options: {
  readonly onFailure: (error: unknown) => void;
  readonly onEnd: () => void;
}): Background {
  const going = new Set<string>();
  return {
    begin(id, work) {
      if (going.has(id)) return;
      going.add(id);
      const ended = (): void => {
        going.delete(id);
        options.onEnd();
      };
      work().then(ended, (error: unknown) => {
        if (error instanceof Interrupted) ended();
        else options.onFailure(error);
      });
    },
  };
}
