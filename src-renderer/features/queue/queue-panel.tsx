// biome-ignore-all lint/a11y/useSemanticElements: a fieldset has no place around a list of tasks
import { GripVertical, Hand, ListTodo, LoaderCircle } from "lucide-react";
import { type ComponentProps, type MouseEvent, useMemo } from "react";
import { create } from "zustand";
import type { RunView } from "#shared/contract/views/run.ts";
import { priorities } from "#shared/domain/change-metadata/metadata.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import type { Change } from "#shared/graph/change.ts";
import { changeMenu } from "../../graph/change/change-menu.tsx";
import { Avatar } from "../../kit/avatar.tsx";
import { AttemptBadge } from "../../kit/badge.tsx";
import { cx } from "../../kit/class-names.ts";
import { EmptyState } from "../../kit/empty-state.tsx";
import { ContextMenuArea, type MenuEntry } from "../../kit/menu.tsx";
import { PriorityIcon, StatusIcon } from "../../kit/status-icon.tsx";
import { TodoCount } from "../../kit/todo-list.tsx";
import {
  closest,
  type Drag,
  type DragHandlers,
  nextToPointer,
  type Point,
  usePointerDrag,
} from "../../kit/use-pointer-drag.ts";
import { withRefusals } from "../../registry/registry.ts";
import { useAttemptBadge } from "../../state/attempts-store.ts";
import { keyOf, subjectOf, useGraph } from "../../state/graph-store.ts";
import { usePartOfHost, useWorkerOf } from "../../state/host-store.ts";
import { useShownDraft } from "../../state/plan-draft.ts";
import { isRefused, useRefusal } from "../../state/role.ts";
import { inspect, useSelection } from "../../state/selection-store.ts";
import { CommentCount } from "../archangel/comment-count.tsx";
import { type Band, bandsOf, type Place, stepFrom, withPending } from "./queue-bands.ts";
import { move, pressInQueue, shownBands, useIsMoving, useQueue } from "./queue-store.ts";

/** What waits to be worked on: four bands of tasks, in the order in which they will be taken up. */
export function QueuePanel() {
  const changes = useGraph((state) => state.graph?.changes ?? null);
  const pending = useQueue((state) => state.pending);
  const bands = useMemo(() => bandsOf(withPending(changes ?? [], pending)), [changes, pending]);
  const drag = useQueueDrag();
  const count = bands.reduce((sum, band) => sum + band.tasks.length, 0);

  return (
    <div className="flex h-full flex-col">
      <header className="flex h-9 shrink-0 items-center gap-2 border-b px-3">
        <h2 className="font-medium">Queue</h2>
        {count > 0 && <span className="text-sm text-faint">{count}</span>}
      </header>
      {count === 0 && changes !== null ? (
        <NoTasks />
      ) : (
        <div
          role="group"
          aria-label="Tasks by priority"
          className="min-h-0 flex-1 overflow-y-auto pb-6"
          {...drag.handlers}
          onKeyDown={(event) => pressInQueue(event, bands)}
        >
          {bands.map((band) => (
            <BandList
              key={band.priority}
              band={band}
              drag={drag}
              menu={(changeId) => cardMenu(bands, changeId)}
            />
          ))}
        </div>
      )}
      <DragGhost bands={bands} />
    </div>
  );
}

interface Dragged extends Point {
  readonly changeId: string;
  readonly place: Place | null;
}

const useDragged = create<{ readonly dragged: Dragged | null }>(() => ({ dragged: null }));
const dragged = (): Dragged | null => useDragged.getState().dragged;
const cancel = (): void => useDragged.setState({ dragged: null });

/** The place of a task that is dropped there: before or after a card, by the half in which the pointer is. */
function placeAt(under: Element | null, { y }: Point): Place | null {
  const section = closest(under, "[data-priority-band]");
  const priority = priorities.find((one) => one === section?.dataset.priorityBand);
  if (!section || !priority) return null;
  const item = closest(under, "[data-queue-index]");
  const index = Number(item?.dataset.queueIndex);
  if (item && Number.isInteger(index)) {
    const box = item.getBoundingClientRect();
    return { priority, index: y < box.top + box.height / 2 ? index : index + 1 };
  }
  // On the heading: the top of the band. Below its last card: the end.
  const heading = closest(under, "h3");
  const end = shownBands().find((band) => band.priority === priority)?.tasks.length ?? 0;
  return { priority, index: heading ? 0 : end };
}

const queueDrag: Drag = {
  at: (target) => closest(target, "[data-queue-card]")?.dataset.changeId ?? null,
  isTakenUp: () => dragged() !== null,
  isByPointer: () => dragged() !== null,
  takeUp(changeId, at) {
    if (isRefused("queue.move")) return false;
    useDragged.setState({ dragged: { changeId, ...at, place: null } });
    return true;
  },
  moveOver(under, at) {
    const known = dragged();
    if (known) useDragged.setState({ dragged: { ...known, ...at, place: placeAt(under, at) } });
  },
  drop() {
    const known = dragged();
    cancel();
    if (known?.place) void move(shownBands(), known.changeId, known.place);
  },
  cancel,
};

interface QueueDrag {
  readonly handlers: DragHandlers & { readonly onClickCapture: (event: MouseEvent) => void };
  /** The change whose card is on its way. */
  readonly dragged: string | null;
  readonly place: Place | null;
}

/** Drag of a task inside the queue: a ghost at the pointer, a line where it will land, Escape cancels. */
function useQueueDrag(): QueueDrag {
  const { handlers, wasDrag } = usePointerDrag(queueDrag);
  const known = useDragged((state) => state.dragged);
  return {
    handlers: {
      ...handlers,
      onClickCapture(event) {
        // A card is a button: the release of a drag would open it, and a key that presses it is no release.
        if (event.detail === 0 || !wasDrag()) return;
        event.preventDefault();
        event.stopPropagation();
      },
    },
    dragged: known?.changeId ?? null,
    place: known?.place ?? null,
  };
}

/** What goes with the pointer. */
function DragGhost({ bands }: { readonly bands: readonly Band[] }) {
  const known = useDragged((state) => state.dragged);
  const task = known && bands.flatMap((band) => band.tasks).find((one) => one.changeId === known.changeId);
  if (!task) return null;
  return (
    <div
      dir="auto"
      className="pointer-events-none fixed top-0 left-0 z-50 max-w-56 truncate rounded-md border border-accent bg-raised px-2.5 py-1 shadow-pop"
      style={nextToPointer(known)}
      data-drag-ghost
    >
      {subjectOf(task) || "no description"}
    </div>
  );
}

function NoTasks() {
  const tasks = useShownDraft()?.plan.tasks.length ?? null;
  const { title, words } = usePartOfHost(({ run }) => emptyQueue(run, tasks));
  if (words === null) return <p className="px-3 py-2 text-sm text-faint">{title}</p>;
  return (
    <EmptyState icon={<ListTodo size={20} />} title={title}>
      {words}
    </EmptyState>
  );
}

type Run = Pick<RunView, "endedAt" | "stage" | "plan" | "planApproved">;

/** What is true of a queue without tasks, and what can be done about it. */
interface EmptyQueue {
  readonly title: string;
  /** What can be done about it; null where nothing runs. */
  readonly words: string | null;
}

/** @param tasks how many the plan has as it is edited here; null where it is not */
export function emptyQueue(run: Run | null, tasks: number | null = null): EmptyQueue {
  // The graph beside it says how to begin.
  if (run === null || run.endedAt !== null) return { title: "No tasks", words: null };
  if (run.stage === "watching")
    return {
      title: "No tasks",
      words: "Archangels review your sessions. Their comments are in the overview.",
    };
  if (run.stage === "planning" && run.plan !== null && !run.planApproved)
    return {
      title: `${counted(tasks ?? run.plan.tasks.length, "task")} proposed`,
      words: "They appear here after you approve the plan in the inbox.",
    };
  if (run.stage === "planning" || run.plan === null)
    return {
      title: "The tasks are being planned",
      words: "Tasks appear here after you approve the plan.",
    };
  return {
    title: "No tasks waiting",
    words:
      "Tasks of the plan are listed here until they are done. To add one, set the kind of a change to “task” in its menu.",
  };
}

/** The menu of a card: its place in the queue, and what can be done with its change. */
function cardMenu(bands: readonly Band[], changeId: string): readonly MenuEntry[] {
  const task = bands.flatMap((band) => band.tasks).find((one) => one.changeId === changeId);
  if (!task) return [];
  const up = stepFrom(bands, changeId, -1);
  const down = stepFrom(bands, changeId, 1);
  const places: readonly MenuEntry[] = [
    {
      label: "Move to",
      command: "queue.move",
      items: priorities.flatMap((priority) => {
        const length = bands.find((band) => band.priority === priority)?.tasks.length ?? 0;
        return [
          {
            label: `Top of ${priority}`,
            icon: <PriorityIcon priority={priority} />,
            onSelect: () => void move(bands, changeId, { priority, index: 0 }),
          },
          {
            label: `End of ${priority}`,
            disabled: length === 0,
            onSelect: () => void move(bands, changeId, { priority, index: length }),
          },
        ];
      }),
    },
    {
      label: "Move up",
      command: "queue.move",
      keys: "alt+ArrowUp",
      disabled: !up,
      onSelect: () => up && void move(bands, changeId, up),
    },
    {
      label: "Move down",
      command: "queue.move",
      keys: "alt+ArrowDown",
      disabled: !down,
      onSelect: () => down && void move(bands, changeId, down),
    },
  ];
  return [...withRefusals(places), "separator", ...changeMenu(task)];
}

interface BandListProps {
  readonly band: Band;
  readonly drag: ReturnType<typeof useQueueDrag>;
  readonly menu: (changeId: string) => readonly MenuEntry[];
}

function BandList({ band, drag, menu }: BandListProps) {
  const { priority, tasks } = band;
  const dropAt = drag.place?.priority === priority ? drag.place.index : null;
  return (
    <section aria-label={`${priority} priority`} data-priority-band={priority}>
      <h3
        className={cx(
          "sticky top-0 z-10 flex h-7 items-center gap-2 px-3 text-sm text-muted capitalize",
          dropAt !== null && tasks.length === 0 ? "bg-accent-soft" : "bg-canvas",
        )}
      >
        <PriorityIcon priority={priority} size={12} />
        {priority}
        <span className="text-faint">{tasks.length > 0 ? tasks.length : ""}</span>
      </h3>
      <ul className="relative flex min-h-1.5 flex-col px-1.5">
        {tasks.map((task, index) => (
          <li key={task.changeId} className="relative" data-queue-index={index}>
            {dropAt === index && <DropLine />}
            <ContextMenuArea entries={() => menu(task.changeId)}>
              <QueueCard task={task} dragged={drag.dragged === task.changeId} />
            </ContextMenuArea>
            {dropAt === tasks.length && index === tasks.length - 1 && <DropLine end />}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface QueueCardProps extends ComponentProps<"button"> {
  readonly task: Change;
  readonly dragged: boolean;
}

/** One task of the queue. */
function QueueCard({ task, dragged, className, ...rest }: QueueCardProps) {
  const worker = useWorkerOf(task.changeId);
  const key = keyOf(task);
  const selected = useSelection((state) => state.selected === key);
  const attempt = useAttemptBadge(worker?.name ?? null);
  const isMoving = useIsMoving(task.changeId);
  const canMove = useRefusal("queue.move") === null;
  const { status, agent } = task.metadata;
  const who = worker?.name ?? agent;
  const conflict = worker ? worker.conflict !== "none" : task.conflict;
  return (
    <button
      type="button"
      data-queue-card
      data-change-id={task.changeId}
      aria-current={selected || undefined}
      {...rest}
      onClick={() => inspect(key)}
      className={cx(
        "group flex h-8 w-full touch-none items-center gap-1.5 rounded-md pr-2 pl-0.5 text-left",
        selected ? "bg-selected" : "hover:bg-hover",
        dragged && "opacity-35",
        className,
      )}
    >
      <GripVertical
        size={12}
        className={cx("shrink-0 text-faint opacity-0", canMove && "group-hover:opacity-100")}
        aria-hidden
      />
      <StatusIcon status={status ?? "open"} />
      <span dir="auto" title={subjectOf(task)} className="min-w-0 flex-1 truncate">
        {subjectOf(task) || <em className="text-faint">no description</em>}
      </span>
      {worker && status !== "done" && <TodoCount todos={worker.todos} />}
      <CommentCount changeId={task.changeId} />
      {isMoving && (
        <LoaderCircle
          size={12}
          className="breathe shrink-0 text-muted"
          role="img"
          aria-label="saving the new position"
        />
      )}
      {attempt && <AttemptBadge {...attempt} />}
      {conflict && (
        <span
          className="size-2 shrink-0 rounded-full bg-danger"
          role="img"
          aria-label="in conflict"
          title="in conflict"
        />
      )}
      {worker?.byHand && (
        <Hand size={13} className="shrink-0 text-info" role="img" aria-label="assigned to you" />
      )}
      {who && <Avatar name={who} {...(worker ? { state: worker.state } : {})} />}
    </button>
  );
}

const DropLine = ({ end = false }: { readonly end?: boolean }) => (
  <span
    aria-hidden="true"
    data-drop-line
    className={cx(
      "pointer-events-none absolute inset-x-1 z-10 h-0.5 rounded-full bg-accent",
      end ? "-bottom-px" : "-top-px",
    )}
  />
);
