import {
  Circle,
  CircleCheck,
  CircleX,
  ExternalLink,
  GitBranch,
  Inbox,
  ListTodo,
  RefreshCw,
  RotateCcw,
} from "lucide-react";
import { useRef } from "react";
import { type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import type { RunView, WorkerView } from "#shared/contract/views/run.ts";
import { forgeNames } from "#shared/domain/forge/forge-facts.ts";
import { type PublishedPart, pullRequestState, type SeenCheck } from "#shared/domain/landing/publication.ts";
import type { Todo } from "#shared/domain/orientation/todo-events.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { shownLine, shownName, shownText } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { EmptyState } from "../../kit/empty-state.tsx";
import { type KeyTable, takeKey } from "../../kit/key-table.ts";
import { Keys } from "../../kit/keys.tsx";
import { LoadFailure } from "../../kit/load-failure.tsx";
import { openOutside } from "../../kit/open-outside.ts";
import { TodoList } from "../../kit/todo-list.tsx";
import { goToCard, goToRow } from "../../state/go-to.ts";
import { useHost } from "../../state/host-store.ts";
import { attempt, notify } from "../../state/notify.ts";
import { keyOfWorker } from "../../state/selection-store.ts";
import { shownValue, useAttempt, useLoaded } from "../../state/use-loaded.ts";
import { CommentCard } from "../archangel/comment-card.tsx";
import { addressOf, type CheckItem, checkItems } from "./check-items.ts";

interface CheckPlace {
  readonly item: CheckItem | undefined;
  readonly step: (by: 1 | -1) => boolean;
  readonly look: (() => void) | null;
}

export const checkKeys: KeyTable<CheckPlace> = {
  place: "In the checks of a run",
  rows: [
    { keys: "ArrowDown", also: ["j"], what: "the next one", run: ({ step }) => step(1) },
    { keys: "ArrowUp", also: ["k"], what: "the previous one", run: ({ step }) => step(-1) },
    {
      keys: "o",
      what: "open it in the browser",
      run: ({ item }) => {
        const address = item ? addressOf(item) : null;
        if (address !== null) openOutside(address);
        return address !== null;
      },
    },
    {
      keys: "t",
      what: "reopen the task of failed checks",
      run: ({ item }) => {
        if (item?.kind !== "check" || item.check.state !== "failed") return false;
        void reopen(item.part.branch);
        return true;
      },
    },
    { keys: "l", what: "look at the forge again", run: ({ look }) => (look === null ? false : look()) },
    {
      keys: "Enter",
      what: "show the card or the agent",
      run: ({ item }) => {
        if (item?.kind === "card") goToCard(item.card.id);
        else if (item?.kind === "todos") showWorker(item.worker);
        else return false;
        return true;
      },
    },
  ],
};

const reopen = (branch: string): Promise<boolean> =>
  attempt("The task was not reopened", async () => {
    const { worker } = await client.pullRequest.reopen({ branch, thread: null });
    notify("info", `Reopened for ${worker ?? "the integrator"}.`);
  });

const showWorker = ({ name, changeId }: WorkerView): void => goToRow(changeId ?? keyOfWorker(name));

/** The branches of a run, its checks, review threads and open steps, each with what can be done about it. */
export function RunChecks({ run }: { readonly run: RunView }) {
  const inbox = useHost((state) => state.inbox);
  const list = useRef<HTMLOListElement>(null);
  const { publication, endedAt, stage } = run;
  const heads = publication?.parts.map(({ commit, followed }) => `${commit} ${followed?.head}`).join() ?? "";
  const loaded = useLoaded(`${run.id} ${run.integration} ${stage} ${heads}`, () =>
    client.pullRequest.branches(),
  );
  const items = checkItems(run, inbox, shownValue(loaded));
  const [isLooking, attemptLook] = useAttempt();
  const canLook = publication !== undefined && endedAt === null;
  const look = (): void => void attemptLook("The forge was not looked at", () => client.pullRequest.look());

  const rows = (): readonly HTMLElement[] => [
    ...(list.current?.querySelectorAll<HTMLElement>("[data-check-item]") ?? []),
  ];
  const focused = (): number => rows().findIndex((row) => row.contains(document.activeElement));
  const step = (by: 1 | -1): boolean => {
    const all = rows();
    const next = all[Math.max(0, Math.min(focused() + by, all.length - 1))];
    // A comment has keys of its own.
    (next?.querySelector<HTMLElement>("article") ?? next)?.focus();
    return next !== undefined;
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys for whatever has the focus in it
    <div
      className="flex min-h-full flex-col gap-2 p-3"
      aria-busy={loaded.kind === "loading" && loaded.last === null}
      onKeyDown={(event) =>
        takeKey(checkKeys, event, { item: items[focused()], step, look: canLook ? look : null })
      }
    >
      {publication && (
        <header className="flex items-center gap-2">
          <p className="min-w-0 flex-1 truncate text-sm text-muted">
            To {shownName(publication.base)} of {shownName(publication.repository.path)} on{" "}
            {forgeNames[publication.repository.forge]}
          </p>
          {canLook && (
            <Button size="sm" disabled={isLooking} onClick={look}>
              <RefreshCw size={13} aria-hidden className={cx(isLooking && "animate-spin")} />
              {isLooking ? "Looking…" : "Look again"} <Keys keys="l" />
            </Button>
          )}
        </header>
      )}
      {publication?.problem != null && (
        <p className="rounded-md bg-warning-soft px-3 py-2 text-sm text-pretty text-warning" role="status">
          {publication.problem}
        </p>
      )}
      {loaded.kind === "failed" && <LoadFailure failure={loaded.failure} again={loaded.again} />}
      {items.length === 0 && loaded.kind === "loaded" && (
        <EmptyState title="Nothing to check yet">
          The branch of the result, the checks and reviews of its pull request, and the steps that agents have
          left appear here.
        </EmptyState>
      )}
      <ol ref={list} aria-label="Checks of the run" className="flex flex-col gap-1.5">
        {items.map((item, at) => (
          <li
            key={item.key}
            data-check-item={item.kind}
            tabIndex={item.kind === "thread" ? undefined : at === 0 ? 0 : -1}
            className="rounded-md outline-offset-[-1px]"
          >
            <Row item={item} isActive={endedAt === null} isComparing={loaded.kind === "loading"} />
          </li>
        ))}
      </ol>
    </div>
  );
}

interface RowProps {
  readonly item: CheckItem;
  readonly isActive: boolean;
  readonly isComparing: boolean;
}

function Row({ item, isActive, isComparing }: RowProps) {
  switch (item.kind) {
    case "card":
      return <CardRow card={item.card} />;
    case "branch":
      return <BranchRow item={item} isComparing={isComparing} />;
    case "check":
      return <CheckRow part={item.part} check={item.check} isActive={isActive} />;
    case "thread":
      return <CommentCard comment={item.comment} />;
    case "todos":
      return <TodosRow worker={item.worker} todos={item.todos} />;
  }
}

const frame = "rounded-md border bg-surface px-2.5 py-1.5 text-sm";

function CardRow({ card }: { readonly card: InboxItem }) {
  const kind = kindOfCard(card);
  return (
    <div className={cx(frame, "flex items-center gap-2")}>
      <Inbox size={14} className="shrink-0 text-warning" aria-hidden />
      <p className="min-w-0 flex-1 truncate" title={shownText(kind.headline(card))}>
        <span className="font-medium">{kind.title}</span> {shownLine(kind.headline(card))}
      </p>
      <Button size="sm" onClick={() => goToCard(card.id)}>
        Answer
      </Button>
    </div>
  );
}

interface BranchRowProps {
  readonly item: Extract<CheckItem, { kind: "branch" }>;
  readonly isComparing: boolean;
}

function BranchRow({ item: { part, state }, isComparing }: BranchRowProps) {
  const title = part === null ? (state?.branch ?? "") : shownLine(part.title);
  return (
    <div className={frame}>
      <div className="flex items-center gap-2">
        <GitBranch size={14} className="shrink-0 text-faint" aria-hidden />
        <span className="min-w-0 flex-1 truncate font-medium" title={title}>
          {part?.pullRequest != null && <span className="text-muted">#{part.pullRequest.number} </span>}
          {title}
        </span>
        {part?.worker != null && (
          <span className="shrink-0 text-xs text-muted">{shownName(part.worker)}</span>
        )}
        {part?.pullRequest != null && (
          <OpenButton url={part.pullRequest.url} of={`#${part.pullRequest.number}`} />
        )}
      </div>
      {part !== null && (
        <p className="text-xs text-muted" data-selectable>
          {pullRequestState(part)}
        </p>
      )}
      {state !== null ? (
        <>
          <p
            className="truncate text-xs text-muted tabular-nums"
            title={`${shownName(state.branch)} → ${shownName(state.base)}`}
            data-selectable
          >
            {state.conflicts.length === 0 && "no conflicts · "}
            {state.ahead} ahead of and {state.behind} behind{" "}
            <span className="font-mono">{shownName(state.base)}</span>
          </p>
          {state.conflicts.length > 0 && (
            <p className="text-xs text-danger" data-selectable>
              {counted(state.conflicts.length, "file")} in conflict:{" "}
              {state.conflicts.map(shownName).join(", ")}
            </p>
          )}
        </>
      ) : (
        isComparing && <p className="text-xs text-faint">Comparing with its base…</p>
      )}
    </div>
  );
}

const looks = {
  failed: [CircleX, "text-danger", "failed"],
  pending: [Circle, "text-warning", "pending"],
  passed: [CircleCheck, "text-success", "passed"],
} as const;

interface CheckRowProps {
  readonly part: PublishedPart;
  readonly check: SeenCheck;
  readonly isActive: boolean;
}

function CheckRow({ part, check, isActive }: CheckRowProps) {
  const { name, state, url, log } = check;
  const [Icon, colour, words] = looks[state];
  return (
    <div className={frame}>
      <div className="flex items-center gap-2">
        <Icon size={14} className={cx("shrink-0", colour)} aria-hidden />
        <span className="min-w-0 flex-1 truncate" title={shownText(name)}>
          {shownLine(name)} <span className="text-xs text-muted">{words}</span>
        </span>
        {state === "failed" && isActive && (
          <Button size="sm" onClick={() => void reopen(part.branch)}>
            <RotateCcw size={13} aria-hidden /> Reopen task <Keys keys="t" />
          </Button>
        )}
        {url !== null && <OpenButton url={url} of={name} />}
      </div>
      {log !== "" && (
        <details open={state === "failed"} className="mt-1">
          <summary className="cursor-default text-xs text-muted">End of its log</summary>
          <pre
            className="mt-1 max-h-56 overflow-auto rounded-sm bg-sunken px-2 py-1 font-mono text-xs whitespace-pre-wrap"
            data-selectable
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys
            tabIndex={0}
          >
            {shownText(log)}
          </pre>
        </details>
      )}
    </div>
  );
}

const OpenButton = ({ url, of }: { readonly url: string; readonly of: string }) => (
  <Button
    size="sm"
    look="ghost"
    aria-label={`Open ${shownLine(of)} in the browser`}
    title={shownLine(url)}
    onClick={() => openOutside(url)}
  >
    <ExternalLink size={13} aria-hidden /> Open
  </Button>
);

interface TodosRowProps {
  readonly worker: WorkerView;
  readonly todos: readonly Todo[];
}

function TodosRow({ worker, todos }: TodosRowProps) {
  return (
    <div className={frame}>
      <div className="mb-1 flex items-center gap-2">
        <ListTodo size={14} className="shrink-0 text-faint" aria-hidden />
        <span className="min-w-0 flex-1 truncate" title={shownText(worker.title)}>
          <span className="font-medium">{worker.name}</span> has {counted(todos.length, "open step")}
        </span>
        <Button size="sm" look="ghost" onClick={() => showWorker(worker)}>
          Show
        </Button>
      </div>
      <TodoList todos={todos} />
    </div>
  );
}
