import { useEffect, useState } from "react";

const steps = [
  [60_000, 1_000, "s"],
  [3_600_000, 60_000, "m"],
  [86_400_000, 3_600_000, "h"],
  [86_400_000 * 30, 86_400_000, "d"],
  [86_400_000 * 365, 86_400_000 * 30, "mo"],
] as const;

/** "now", "12s", "3h", "2y": how long before `now` a moment was. */
function ago(moment: number, now: number): string {
  const past = Math.max(0, now - moment);
  if (past < 5_000) return "now";
  for (const [below, unit, name] of steps) if (past < below) return `${Math.floor(past / unit)}${name}`;
  return `${Math.floor(past / (86_400_000 * 365))}y`;
}

const tickMs = 10_000;
const listeners = new Set<(now: number) => void>();
let clock: ReturnType<typeof setInterval> | null = null;

/** One clock for all times on screen. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    listeners.add(setNow);
    clock ??= setInterval(() => {
      for (const tell of listeners) tell(Date.now());
    }, tickMs);
    return () => {
      listeners.delete(setNow);
      if (listeners.size === 0 && clock !== null) {
        clearInterval(clock);
        clock = null;
      }
    };
  }, []);
  return now;
}

/** The time to the second; stands still while it is not needed. */
export function useSeconds(isNeeded = true): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isNeeded) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isNeeded]);
  return now;
}

export function RelativeTime({ at, className }: { readonly at: number; readonly className?: string }) {
  const now = useNow();
  const moment = new Date(at);
  return (
    <time dateTime={moment.toISOString()} title={moment.toLocaleString()} className={className}>
      {ago(at, now)}
    </time>
  );
}
