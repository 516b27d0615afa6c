/** Keeps one stream open: continues from the last number after a cut, and shows the cut. */

import { create } from "zustand";
import { silenceMs } from "#shared/contract/events.ts";
import { client, openLine, setLine, setSilent } from "../client.ts";
import { NotLetIn } from "../session.ts";
import { resumeFrom, take, whenSnapshotNeeded } from "./intake.ts";
import { lastShown } from "./repositories.ts";

const firstPauseMs = 250;
const maxReconnectDelayMs = 5_000;
/** Another tab may let this browser in meanwhile; asking costs nothing. */
const refusedPauseMs = 10_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** One connection, from opening to its end. Answers whether it ever delivered anything. */
async function follow(): Promise<boolean> {
  const line = await openLine();
  setLine(line);
  let restart = false;
  let delivered = false;
  const silence = watchSilence(silenceMs, () => {
    setSilent(true);
    useConnection.setState({ connection: { kind: "silent" } });
  });
  try {
    do {
      restart = false;
      const stop = new AbortController();
      whenSnapshotNeeded(() => {
        restart = true;
        stop.abort();
      });
      try {
        const repository = lastShown();
        const from = { since: resumeFrom(), ...(repository === null ? {} : { repository }) };
        const stream = await client.watch(from, { signal: stop.signal });
        for await (const numbered of stream) {
          if (!delivered || silence.isSilent()) {
            setSilent(false);
            useConnection.setState({ connection: { kind: "open" } });
          }
          silence.heard();
          delivered = true;
          take(numbered);
          if (restart) break;
        }
      } catch (error) {
        if (!restart) throw error;
      }
    } while (restart);
  } finally {
    silence.stop();
    setLine(null);
    line.close();
  }
  return delivered;
}

export type Connection =
  | { readonly kind: "connecting" }
  | { readonly kind: "open" }
  /** Not cut, but nothing comes any more: the host is stopped, or busy beyond measure. */
  | { readonly kind: "silent" }
  /** Cut: retried automatically. `failures` counts attempts since the last success. */
  | { readonly kind: "lost"; readonly failures: number; readonly ever: boolean }
  /** The host answers and does not let this page in. */
  | { readonly kind: "refused"; readonly text: string; readonly remedy: string | null };

export const useConnection = create<{ readonly connection: Connection }>(() => ({
  connection: { kind: "connecting" },
}));

/** Tells when nothing was heard for too long. */
interface SilenceWatch {
  /** Something arrived: starts over. */
  heard(): void;
  isSilent(): boolean;
  stop(): void;
}

/** A timer that is this late (ms) says that the page itself was asleep, and not whom it listens to. */
const lateMs = 2_000;

/** @param onSilence called once for each silence */
export function watchSilence(ms: number, onSilence: () => void): SilenceWatch {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isSilent = false;
  const begin = (): void => {
    clearTimeout(timer);
    const due = Date.now() + ms;
    timer = setTimeout(() => {
      if (Date.now() - due > lateMs) return begin();
      isSilent = true;
      onSilence();
    }, ms);
  };
  begin();
  return {
    heard() {
      isSilent = false;
      begin();
    },
    isSilent: () => isSilent,
    stop: () => clearTimeout(timer),
  };
}

/** Runs for as long as the window is open. */
export async function stayConnected(): Promise<never> {
  let failures = 0;
  let ever = false;
  for (;;) {
    try {
      if (await follow()) {
        ever = true;
        failures = 0;
      }
    } catch (error) {
      if (error instanceof NotLetIn) {
        useConnection.setState({
          connection: { kind: "refused", text: error.message, remedy: error.remedy },
        });
        await pause(refusedPauseMs);
        continue;
      }
      const { kind } = useConnection.getState().connection;
      if (kind === "open" || kind === "silent") {
        ever = true;
        failures = 0;
      }
      console.info("The connection to Hox ended", error);
    }
    failures += 1;
    useConnection.setState({ connection: { kind: "lost", failures, ever } });
    await pause(Math.min(maxReconnectDelayMs, firstPauseMs * 2 ** Math.min(failures - 1, 6)));
  }
}
