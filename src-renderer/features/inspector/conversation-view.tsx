import { ArrowDown } from "lucide-react";
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { MessageView } from "#shared/contract/views/message.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import type { ConversationTurn } from "#shared/domain/attempt/attempt-events.ts";
import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import { turnsOf } from "#shared/domain/conversation/turns.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { type Failure, toFailure } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { EmptyState } from "../../kit/empty-state.tsx";
import { FindBar, useFind } from "../../kit/find/find-bar.tsx";
import { LoadFailure } from "../../kit/load-failure.tsx";
import { loadConversation, useConversation } from "../../state/conversation-store.ts";
import { addressOf, useHost } from "../../state/host-store.ts";
import { iterationIsShown, useShownIteration } from "../../state/shown-iteration.ts";
import { useAgain } from "../../state/use-loaded.ts";
import { writableNow } from "../agent/writable.ts";
import type { CallerState } from "./call-outcome.ts";
import { CallRow } from "./call-row.tsx";
import { Composer } from "./composer.tsx";
import { conversationPieces, showInConversation } from "./conversation-find.ts";
import { type ConversationItem, conversationItems, messagesWithPerson } from "./conversation-items.ts";
import { ConversationRowView } from "./conversation-row.tsx";
import { PersonMessage } from "./person-message.tsx";

interface ConversationViewProps {
  readonly run: string;
  readonly worker: string;
}

/** Near enough to the end to be taken for reading along. */
const followWithin = 48;

/** What an agent says and does, live. It follows the end until the person scrolls away from it. */
export function ConversationView({ run, worker }: ConversationViewProps) {
  const rows = useConversation(run, worker);
  const { failure, again } = useEarlierRows(run, worker);
  const [following, setFollowing] = useState(true);
  const end = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const scroller = useRef<HTMLElement | null>(null);

  const turns = useForkableTurns(run, worker, rows);
  const messages = useMessages(run, worker);
  const items = useMemo(() => conversationItems(rows, messages), [rows, messages]);
  const find = useFind({
    frame: scroller,
    of: items,
    pieces: () => conversationPieces(items),
    show(hit, query) {
      setFollowing(false);
      return showInConversation(list.current, hit, query);
    },
  });
  const caller = useHost(({ run: shown }) => callerState(shown?.id === run ? shown : null, worker));
  const canInterrupt = useHost(({ run: shown }) => {
    const found = shown?.id === run && shown.workers.find(({ name }) => name === worker);
    const writable = shown && found ? writableNow(found, shown) : null;
    return writable?.kind === "open" && writable.canInterrupt;
  });

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
  }, [rows, messages, following]);

  useRequestedIteration(worker, rows, scroller, () => setFollowing(false));

  return (
    <div className="relative flex min-h-full flex-col">
      {find && <FindBar find={find} label={`Find in the conversation of ${worker}`} />}
      {failure && <LoadFailure failure={failure} again={again} />}
      {items.length === 0 && failure === null && (
        <EmptyState title="No messages yet">The conversation appears here as it happens.</EmptyState>
      )}
      <ol
        ref={list}
        className="flex flex-col gap-2 p-3"
        aria-label={`Conversation of ${worker}`}
        data-conversation={worker}
      >
        {items.map((item) => (
          <Item
            key={keyOf(item)}
            item={item}
            turn={item.kind === "row" ? (turns.get(item.row.index) ?? null) : null}
            {...{ worker, caller, canInterrupt }}
          />
        ))}
      </ol>
      <div ref={end} />
      {!following && items.length > 0 && (
        <ToLatest
          onClick={() => {
            setFollowing(true);
            scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
          }}
        />
      )}
      <Composer run={run} worker={worker} onSent={() => setFollowing(true)} />
    </div>
  );
}

const ToLatest = ({ onClick }: { readonly onClick: () => void }) => (
  <div className="pointer-events-none sticky bottom-24 z-10 mt-auto flex justify-center">
    <Button size="sm" className="pointer-events-auto shadow-pop" onClick={onClick}>
      <ArrowDown size={13} aria-hidden />
      Jump to latest
    </Button>
  </div>
);

/** Loads what was said before the window was open; answers why it could not, until it can. */
function useEarlierRows(
  run: string,
  worker: string,
): { readonly failure: Failure | null; readonly again: () => void } {
  const [failure, setFailure] = useState<Failure | null>(null);
  const { times, again } = useAgain(failure !== null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what failed is asked for again
  useEffect(() => {
    setFailure(null);
    loadConversation(run, worker).catch((error: unknown) => setFailure(toFailure(error)));
  }, [run, worker, times]);
  return { failure, again };
}

/** Scrolls to the iteration that was asked for elsewhere, as soon as it is there. */
function useRequestedIteration(
  worker: string,
  rows: readonly ConversationRow[],
  scroller: RefObject<HTMLElement | null>,
  onShown: () => void,
): void {
  const wanted = useShownIteration((state) => (state.worker === worker ? state.iteration : null));
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is asked for may come with a later row
  useLayoutEffect(() => {
    if (wanted === null) return;
    const found = scroller.current?.querySelector(`[data-iteration="${wanted}"]`);
    if (!found) return;
    onShown();
    found.scrollIntoView({ block: "start" });
    iterationIsShown();
  }, [rows, wanted]);
}

interface ItemProps {
  readonly item: ConversationItem;
  readonly turn: ConversationTurn | null;
  readonly worker: string;
  readonly caller: CallerState;
  readonly canInterrupt: boolean;
}

function Item({ item, turn, worker, caller, canInterrupt }: ItemProps) {
  switch (item.kind) {
    case "row":
      return <ConversationRowView row={item.row} turn={turn} />;
    case "call":
      return <CallRow call={item.call} result={item.result} caller={caller} />;
    case "message":
      return <PersonMessage message={item.message} worker={worker} canInterrupt={canInterrupt} />;
  }
}

const keyOf = (item: ConversationItem): string | number => {
  if (item.kind === "message") return item.message.changeId;
  return item.kind === "row" ? item.row.index : item.call.index;
};

/** What becomes of a call of this worker that is not answered yet. */
function callerState(run: RunView | null, worker: string): CallerState {
  const found = run?.workers.find(({ name }) => name === worker);
  if (!run || !found || run.endedAt !== null || found.state === "done" || found.state === "failed")
    return "over";
  return found.state === "paused" ? "paused" : "working";
}

const noMessages: readonly MessageView[] = [];

/** What the person and this worker wrote to each other in the run that is shown. */
function useMessages(run: string, worker: string): readonly MessageView[] {
  const all = useHost((state) => (state.run?.id === run ? state.messages : noMessages));
  const address = useHost(({ run: shown }) => {
    const found = shown?.workers.find(({ name }) => name === worker);
    return found ? addressOf(found) : worker;
  });
  return useMemo(() => messagesWithPerson(all, worker, address), [all, worker, address]);
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
