import { ArrowDown, Check, CheckCheck, Clock } from "lucide-react";
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { RunView } from "#shared/contract/views/run.ts";
import type { ConversationTurn } from "#shared/domain/attempt/attempt-events.ts";
import { type ConversationRow, turnsOf } from "#shared/domain/conversation/conversation.ts";
import type { MessageView } from "#shared/domain/messages/message-view.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { whyNot } from "#shared/domain/worker/agent-capabilities.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { client, type Failure, toFailure } from "../../client.ts";
import { Button, LinkButton } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { EmptyState } from "../../kit/empty-state.tsx";
import { FindBar, useFind } from "../../kit/find/find-bar.tsx";
import type { FindHit, FindPiece } from "../../kit/find/find-matches.ts";
import { type Seek, seek } from "../../kit/find/mark-hit.ts";
import { LoadFailure } from "../../kit/load-failure.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { loadConversation, useConversation } from "../../state/conversation-store.ts";
import { addressOf, useHost } from "../../state/host-store.ts";
import { attempt } from "../../state/notify.ts";
import { iterationIsShown, useShownIteration } from "../../state/shown-run.ts";
import { useAgain } from "../../state/use-loaded.ts";
import { writableNow } from "../agent/writable.ts";
import {
  type CallerState,
  type ConversationItem,
  conversationItems,
  deliveryTo,
  messagesWithUser,
  sentAt,
} from "./call-outcome.ts";
import { CallRow } from "./call-row.tsx";
import { Composer } from "./composer.tsx";
import { ConversationRowView } from "./conversation-row.tsx";

interface ConversationViewProps {
  readonly run: string;
  readonly worker: string;
}

/**
 * What is shown on request stays until the user scrolls: it may be near the end, the view changes its size, and a new connection
 * brings all rows again.
 */
interface Held {
  readonly iteration: number | null;
}

/** Near enough to the end to be taken for reading along. */
const followWithin = 48;

/** What an agent says and does, live. It follows the end until the user scrolls away from it. */
export function ConversationView({ run, worker }: ConversationViewProps) {
  const rows = useConversation(run, worker);
  const { failure, again } = useEarlierRows(run, worker);
  const [following, setFollowing] = useState(true);
  const end = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const held = useRef<Held | null>(null);
  const scroller = useRef<HTMLElement | null>(null);

  const turns = useForkableTurns(run, worker, rows);
  const whyNotForked = useHost(({ run: shown }) =>
    whyNot(shown?.workers.find(({ name }) => name === worker)?.agent ?? null, "fork"),
  );
  const messages = useMessages(run, worker);
  const items = useMemo(() => conversationItems(rows, messages), [rows, messages]);
  const find = useFind({
    frame: scroller,
    of: items,
    pieces: () => conversationPieces(items),
    show(hit, query) {
      held.current = { iteration: null };
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
    const stop = new AbortController();
    const listening = { passive: true, signal: stop.signal };
    const look = (): void => {
      if (held.current === null)
        setFollowing(element.scrollHeight - element.scrollTop - element.clientHeight < followWithin);
    };
    element.addEventListener("scroll", look, listening);
    for (const type of ["wheel", "touchmove", "pointerdown", "keydown"])
      element.addEventListener(
        type,
        () => {
          held.current = null;
        },
        listening,
      );
    return () => stop.abort();
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: every new or grown row moves the end
  useLayoutEffect(() => {
    if (following && scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
  }, [rows, messages, following]);

  useRequestedIteration(worker, rows, scroller, held, () => setFollowing(false));

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
            {...{ worker, caller, canInterrupt, whyNotForked }}
          />
        ))}
      </ol>
      <div ref={end} />
      {!following && items.length > 0 && (
        <ToLatest
          onClick={() => {
            held.current = null;
            setFollowing(true);
            scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
          }}
        />
      )}
      <Composer
        run={run}
        worker={worker}
        onSent={() => {
          held.current = null;
          setFollowing(true);
        }}
      />
    </div>
  );
}

/** One text of an item: the `at`th element of the item that fits the selector; none means the item itself. */
interface ConversationPlace {
  readonly item: number;
  readonly selector: string | null;
  readonly at: number;
}

const inputBox = 'section[aria-label="Input of the call"]';
const answerBox = 'section[aria-label="Output of the call"]';

type Text = readonly [selector: string | null, text: string, at?: number];

/** Everything that is shown or can be unfolded, in order. */
export const conversationPieces = (
  items: readonly ConversationItem[],
): readonly FindPiece<ConversationPlace>[] =>
  items.flatMap((item, index) =>
    textsOf(item).map(([selector, text, at = 0]) => ({
      key: { item: index, selector, at },
      text: shownText(text),
    })),
  );

function textsOf(item: ConversationItem): readonly Text[] {
  if (item.kind === "message") return [["p", item.message.text]];
  if (item.kind === "call") {
    const { call, result } = item;
    const input = JSON.stringify(call.input, null, 2) ?? "";
    return [
      ["[data-call]", call.tool],
      [inputBox, input],
      ...(typeof result === "string" ? [] : [[answerBox, result.output] as const]),
    ];
  }
  const { row } = item;
  switch (row.kind) {
    case "prompt":
      return [["pre", row.text]];
    case "thinking":
    case "text":
      return [["p", row.text]];
    case "tool-result":
      return [["pre", row.output]];
    case "notice":
      return [[null, row.text]];
    case "retry":
      return [[null, row.reason]];
    case "aside":
      return [
        ["p", row.question],
        ["p", row.answer, 1],
      ];
    case "hooks":
      return row.results.map(({ message }, at) => ["pre", message, at] as const);
    case "checks":
      return [[null, row.results.map(({ name }) => name).join(" ")]];
    case "usage":
    case "tool-call":
      return [];
  }
}

const lineHeight = 16;

/** Unfolds what holds a match, and scrolls to it. @returns how to stop */
function showInConversation(
  list: HTMLElement | null,
  { key, line, nth, nthInLine }: FindHit<ConversationPlace>,
  query: string,
): () => void {
  const look = (): Seek => {
    const item = list?.children[key.item];
    if (!item) return "wait";
    const isOfCall = key.selector === inputBox || key.selector === answerBox;
    const closed = isOfCall && item.querySelector<HTMLElement>('[data-call][aria-expanded="false"]');
    if (closed) closed.click();
    const box = key.selector === null ? item : item.querySelectorAll(key.selector)[key.at];
    if (!box) return "wait";
    const details = box.closest("details");
    if (details) details.open = true;
    const drawn = [...box.querySelectorAll<HTMLElement>(":scope [data-index]")];
    if (drawn.length === 0) return { box, nth };
    const found = drawn.find(({ dataset }) => Number(dataset.index) === line);
    if (found) return { box: found, nth: nthInLine };
    // A long text draws only the lines that are seen.
    const nearest = Math.max(...drawn.map(({ dataset }) => Number(dataset.index)));
    box.scrollTop += (line - nearest) * lineHeight;
    return "wait";
  };
  return seek(look, query);
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
  // Also what did not fail: a new connection gets new rows once it has asked for them.
  const { times, again } = useAgain(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for again with every connection
  useEffect(() => {
    setFailure(null);
    loadConversation(run, worker).catch((error: unknown) => setFailure(toFailure(error)));
  }, [run, worker, times]);
  return { failure, again };
}

/** Scrolls to the iteration that was asked for elsewhere, as soon as it is there, and holds it. */
function useRequestedIteration(
  worker: string,
  rows: readonly ConversationRow[],
  scroller: RefObject<HTMLElement | null>,
  held: RefObject<Held | null>,
  onShown: () => void,
): void {
  const wanted = useShownIteration((state) => (state.worker === worker ? state.iteration : null));
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is asked for may come with a later row
  useLayoutEffect(() => {
    const iteration = wanted ?? held.current?.iteration ?? null;
    const found = iteration !== null && scroller.current?.querySelector(`[data-iteration="${iteration}"]`);
    if (!found) return;
    if (wanted !== null) {
      held.current = { iteration };
      onShown();
      iterationIsShown();
    }
    found.scrollIntoView({ block: "start" });
  }, [rows, wanted]);
}

interface ItemProps {
  readonly item: ConversationItem;
  readonly turn: ConversationTurn | null;
  readonly whyNotForked: string | null;
  readonly worker: string;
  readonly caller: CallerState;
  readonly canInterrupt: boolean;
}

function Item({ item, turn, whyNotForked, worker, caller, canInterrupt }: ItemProps) {
  switch (item.kind) {
    case "row":
      return <ConversationRowView row={item.row} turn={turn} whyNotForked={whyNotForked} />;
    case "call":
      return <CallRow call={item.call} result={item.result} caller={caller} />;
    case "message":
      return <UserMessage message={item.message} worker={worker} canInterrupt={canInterrupt} />;
  }
}

interface UserMessageProps {
  readonly message: MessageView;
  readonly worker: string;
  /** It works and could read what waits for it at once. */
  readonly canInterrupt: boolean;
}

/** What a user wrote to a worker or got from it, and how far it came. */
function UserMessage({ message, worker, canInterrupt }: UserMessageProps) {
  const isAnswer = message.from === worker;
  return (
    <li
      aria-label={isAnswer ? `${worker} to you` : `You to ${worker}`}
      className={cx(
        "flex w-fit max-w-[92%] flex-col gap-0.5 rounded-md px-2.5 py-1.5",
        isAnswer ? "border bg-sunken" : "ml-auto bg-accent-soft",
      )}
    >
      <p className="whitespace-pre-wrap [overflow-wrap:anywhere]" dir="auto" data-selectable>
        {shownText(message.text)}
      </p>
      <p className="flex flex-wrap items-center gap-x-1.5 text-xs text-muted">
        {isAnswer ? `${worker} to you` : "You"} · <RelativeTime at={sentAt(message)} />
        {!isAnswer && <DeliveryLine message={message} worker={worker} canInterrupt={canInterrupt} />}
      </p>
    </li>
  );
}

function DeliveryLine({ message, worker, canInterrupt }: UserMessageProps) {
  const delivery = deliveryTo(worker, message);
  switch (delivery.kind) {
    case "waits":
      return (
        <>
          <span className="inline-flex items-center gap-1">
            <Clock size={11} aria-hidden />
            not read yet
          </span>
          {canInterrupt && (
            <LinkButton
              onClick={() =>
                void attempt(`${worker} was not interrupted`, () => client.run.interruptWorker({ worker }))
              }
            >
              Interrupt to deliver
            </LinkButton>
          )}
        </>
      );
    case "delivered":
      return (
        <span className="inline-flex items-center gap-1" title={new Date(delivery.at).toLocaleString()}>
          <Check size={11} aria-hidden />
          delivered
        </span>
      );
    case "read":
      return (
        <span className="inline-flex items-center gap-1 text-success">
          <CheckCheck size={11} aria-hidden />
          read and acted on
        </span>
      );
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

/** What the user and this worker wrote to each other in the run that is shown. */
function useMessages(run: string, worker: string): readonly MessageView[] {
  const all = useHost((state) => (state.run?.id === run ? state.messages : noMessages));
  const address = useHost(({ run: shown }) => {
    const found = shown?.workers.find(({ name }) => name === worker);
    return found ? addressOf(found) : worker;
  });
  return useMemo(() => messagesWithUser(all, worker, address), [all, worker, address]);
}

/** Turns of an agent in an active run, by the row that shows the cost of each: another agent can continue from there. */
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
