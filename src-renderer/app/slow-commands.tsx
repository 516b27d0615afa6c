import { useEffect, useState } from "react";
import { slowCommandLine } from "#shared/domain/host/slow-command.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { useHost } from "../state/host-store.ts";

/** One line while a command of jj runs for longer than any should: what everything that writes waits for. */
export function SlowCommands() {
  const [first, ...more] = useHost((state) => state.app?.slowCommands ?? none);
  const isShown = first !== undefined;
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isShown) return;
    setNow(Date.now());
    const clock = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(clock);
  }, [isShown]);
  if (!first) return null;
  return (
    <div
      role="status"
      title={shownLine(first.folder)}
      className="fixed bottom-9 left-2 z-40 max-w-[calc(100vw-32px)] truncate rounded-md bg-warning-soft px-3 py-1 text-sm text-warning shadow-pop tabular-nums"
    >
      {slowCommandLine(first, now)}
      {more.length > 0 && ` ${more.length} more ${more.length === 1 ? "command is" : "commands are"} slow.`}
    </div>
  );
}

const none = [] as const;
