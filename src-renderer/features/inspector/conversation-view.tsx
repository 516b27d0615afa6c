import { ArrowDown } from "lucide-react";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { ConversationTurn } from "#shared/domain/attempt/attempt-events.ts";
import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import { turnsOf } from "#shared/domain/conversation/turns.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { type Failure, toFailure } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { EmptyState } from "../../kit/empty-state.tsx";
import { LoadFailure } from "../../kit/load-failure.tsx";
import { loadConversation, useConversation } from "../../state/conversation-store.ts";
import { useHost } from "../../state/host-store.ts";
import { ConversationRowView } from "./conversation-row.tsx";

interface ConversationViewProps {
  readonly run: string;
  readonly worker: string;
}

/** Near enough to the end to be taken for reading along. */
const followWithin = 48;

/** What an agent says and does, live. It follows the end until the person scrolls away from it. */
export function ConversationView({ run, worker }: ConversationViewProps) {
  const rows = useConversation(run, worker);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [following, setFollowing] = useState(true);
  const end = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLElement | null>(null);

  useEffect(() => {
    setFailure(null);
    loadConversation(run, worker).catch((error: unknown) => setFailure(toFailure(error)));
  }, [run, worker]);

  useEffect(() => {
    const element = end.current?.closest<HTMLElement>("[role=tabpanel]") ?? null;
    scroller.current = element;
    if (!element) return;
    const look = (): void =>
      setFollowing(element.scrollHeight - element.scrollTop - element.clientHeight < followWithin);
    element.addEventListener("scroll", look, { passive: true });
    return () => element.removeEventListener("scroll", look);
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: every new or grown row moves the end
  useLayoutEffect(() => {
    if (following && scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
  }, [rows, following]);

  const turns = useForkableTurns(run, worker, rows);
  if (failure) return <LoadFailure failure={failure} />;
  return (
    <div className="relative">
      {rows.length === 0 && (
        <EmptyState title="Nothing said yet">The conversation appears here as it happens.</EmptyState>
      )}
      <ol className="flex flex-col gap-2 p-3" aria-label={`Conversation of ${worker}`}>
        {rows.map((row) => (
          <ConversationRowView key={row.index} row={row} turn={turns.get(row.index) ?? null} />
        ))}
      </ol>
      <div ref={end} />
      {!following && rows.length > 0 && (
        <div className="pointer-events-none sticky bottom-3 flex justify-center">
          <Button
            size="sm"
            className="pointer-events-auto shadow-pop"
            onClick={() => {
              setFollowing(true);
              scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
            }}
          >
            <ArrowDown size={13} aria-hidden />
            To the latest
          </Button>
        </div>
      )}
    </div>
  );
}

/** Turns of an agent whose run goes on, by the row that tells what each cost: from there another one can go on. */
function useForkableTurns(
  run: string,
  worker: string,
  rows: readonly ConversationRow[],
): ReadonlyMap<number, ConversationTurn> {
  const canFork = useHost(({ run: shown }) => {
    const found = shown?.workers.find(({ name }) => name === worker);
    return (
      shown?.id === run && shown.endedAt === null && found !== undefined && roles[found.role].canWriteTask
    );
  });
  return useMemo(() => {
    if (!canFork) return new Map();
    return new Map(
      turnsOf(rows).map(({ iteration, turn, answered }) => [answered, { worker, iteration, turn }] as const),
    );
  }, [canFork, worker, rows]);
}
