/**
 * Takes a repository for this host, which another one may then ask to release it, or asks the one that has
 * it.
 */
import { openHandoverEndpoint, requestHandover } from "./hand-over.ts";
import { Refusal } from "./refusal.ts";
import { holderToAsk, isLocked, lockRepository, nameOf } from "./repository-lock.ts";

export type Holding =
  | { readonly isOwned: true; release(): void }
  /** @param by the other host */
  | { readonly isOwned: false; readonly by: string };

/**
 * Takes a repository if no other host has it.
 * @param letGo closes everything and resolves when the repository is free; called with the asking host
 */
export async function acquireRepository(
  stateFolder: string,
  letGo: (by: string) => Promise<void>,
): Promise<Holding> {
  const answer = lockRepository(stateFolder);
  if (!answer.held) return { isOwned: false, by: answer.by };
  const { lock } = answer;
  try {
    const endpoint = await openHandoverEndpoint(letGo);
    lock.announce(endpoint);
    return {
      isOwned: true,
      release() {
        endpoint.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Asks the host that has a repository to release it. One that has ended does not matter; a silent live one
 * blocks, because two hosts would start every agent twice.
 *
 * @returns "ended" if no host has it any more, "free" if it was released
 * @throws StillHeld
 */
export async function askForRepository(stateFolder: string): Promise<"ended" | "free"> {
  if (!isLocked(stateFolder)) return "ended";
  const holder = await holderToAsk(stateFolder);
  const isFree = holder?.door ? await requestHandover(holder.door, `process ${process.pid}`) : false;
  if (!isFree && isLocked(stateFolder)) throw new StillHeld(nameOf(holder));
  return "free";
}

/** Taking over would make two hosts of one. */
export class StillHeld extends Refusal {
  constructor(by: string) {
    super(
      `The Hox process that has this repository open (${by}) did not release it.`,
      "Close it, or end the process if it hangs. Then take over again: the run resumes from its saved state.",
    );
  }
}
