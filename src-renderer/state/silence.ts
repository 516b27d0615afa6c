/** Tells when nothing was heard for too long. */
export interface SilenceWatch {
  /** Something was heard: begins anew. */
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
