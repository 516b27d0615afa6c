/** Who works on a repository: this host, which then can be asked to let go, or another one, which this one asks. */
import { openHandoverEndpoint, requestHandover } from "./hand-over.ts";
import { Refusal } from "./refusal.ts";
import { holderToAsk, isLocked, lockRepository, nameOf } from "./repository-lock.ts";

export type Holding =
  | { readonly isOwned: true; release(): void }
  /** @param by the other host */
  | { readonly isOwned: false; readonly by: string };

/**
 * Takes a repository, if nobody has it.
 * @param letGo closes everything and resolves when the repository is free; called with who asks for it
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
 * Asks the host that holds a repository to let go. One that has ended is no hindrance; one that lives and says nothing
 * is, because two would start every agent twice.
 *
 * @returns "ended" where nobody holds it any more, "free" where it was let go
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
