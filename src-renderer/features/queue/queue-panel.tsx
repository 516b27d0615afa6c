// biome-ignore-all lint/a11y/useSemanticElements: a fieldset has no place around a list of tasks
import { ListTodo } from "lucide-react";
import { useMemo } from "react";
import { priorities } from "#shared/domain/graph-words/metadata.ts";
import { changeMenu } from "../../graph/change/change-menu.tsx";
import { cx } from "../../kit/class-names.ts";
import { EmptyState } from "../../kit/empty-state.tsx";
import type { MenuEntry } from "../../kit/menu.tsx";
import { ContextMenuArea } from "../../kit/menu.tsx";
import { PriorityIcon } from "../../kit/priority-icon.tsx";
import { useGraph } from "../../state/graph-store.ts";
import { useHost } from "../../state/host-store.ts";
import { useShownDraft } from "../../state/plan-draft.ts";
import { emptyQueue } from "./empty-queue.ts";
import type { Band } from "./queue-bands.ts";
import { bandsOf, stepFrom, withPending } from "./queue-bands.ts";
import { QueueCard } from "./queue-card.tsx";
import { pressInQueue } from "./queue-keys.ts";
import { move, useQueue } from "./queue-store.ts";
import { DragGhost, useQueueDrag } from "./use-queue-drag.tsx";

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

function NoTasks() {
  const tasks = useShownDraft()?.plan.tasks.length ?? null;
  const title = useHost(({ run }) => emptyQueue(run, tasks).title);
  const words = useHost(({ run }) => emptyQueue(run, tasks).words);
  if (words === null) return <p className="px-3 py-2 text-sm text-faint">{title}</p>;
  return (
    <EmptyState icon={<ListTodo size={20} />} title={title}>
      {words}
    </EmptyState>
  );
}

/** The menu of a card: its place in the queue, and what can be done with its change. */
function cardMenu(bands: readonly Band[], changeId: string): readonly MenuEntry[] {
  const task = bands.flatMap((band) => band.tasks).find((one) => one.changeId === changeId);
  if (!task) return [];
  const up = stepFrom(bands, changeId, -1);
  const down = stepFrom(bands, changeId, 1);
  return [
    {
      label: "Move to",
      items: priorities.flatMap((priority) => {
        const length = bands.find((band) => band.priority === priority)?.tasks.length ?? 0;
        return [
          {
            label: `Top of ${priority}`,
            icon: <PriorityIcon priority={priority} />,
            onSelect: () => void move(bands, changeId, { priority, index: 0 }),
          },
          ...(length > 0
            ? [
                {
                  label: `End of ${priority}`,
                  onSelect: () => void move(bands, changeId, { priority, index: length }),
                },
              ]
            : []),
        ];
      }),
    },
    {
      label: "Move up",
      keys: "alt+ArrowUp",
      disabled: !up,
      onSelect: () => up && void move(bands, changeId, up),
    },
    {
      label: "Move down",
      keys: "alt+ArrowDown",
      disabled: !down,
      onSelect: () => down && void move(bands, changeId, down),
    },
    "separator",
    ...changeMenu(task),
  ];
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
