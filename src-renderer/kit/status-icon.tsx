import { CircleDot, Combine, Gavel, Layers, Mail, Sparkles } from "lucide-react";
import {
  type Kind,
  kinds,
  type Priority,
  priorities,
  type Status,
  statuses,
} from "#shared/domain/change-metadata/metadata.ts";
import type { MenuEntry } from "./menu.tsx";

export const statusNames: Record<Status, string> = {
  open: "open",
  in_progress: "in progress",
  blocked: "blocked",
  review: "in review",
  done: "done",
  abandoned: "abandoned",
};

export const statusColours: Record<Status, string> = {
  open: "var(--faint)",
  in_progress: "var(--progress)",
  blocked: "var(--danger)",
  review: "var(--review)",
  done: "var(--success)",
  abandoned: "var(--faint)",
};

/** A circle that fills as the work proceeds; shape and colour both show the state. */
export function StatusIcon({ status, size = 14 }: { readonly status: Status; readonly size?: number }) {
  const colour = statusColours[status];
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 14 14"
      role="img"
      aria-label={statusNames[status]}
      className="shrink-0"
    >
      {status === "done" ? (
        <>
          <circle cx="7" cy="7" r="6" fill={colour} />
          <path
            d="M4.2 7.2 6.2 9.1 9.8 5.1"
            fill="none"
            stroke="var(--surface)"
            strokeWidth="1.6"
            strokeLinecap="round"
            strokeLinejoin="round"
          />
        </>
      ) : (
        <>
          <circle
            cx="7"
            cy="7"
            r="5.25"
            fill="none"
            stroke={colour}
            strokeWidth="1.5"
            strokeDasharray={status === "open" ? "none" : undefined}
          />
          {status === "in_progress" && <path d="M7 3.6a3.4 3.4 0 0 1 0 6.8Z" fill={colour} />}
          {status === "review" && <path d="M7 3.6a3.4 3.4 0 1 1-3.4 3.4L7 7Z" fill={colour} />}
          {status === "blocked" && (
            <path d="M4.4 7h5.2" stroke={colour} strokeWidth="1.8" strokeLinecap="round" />
          )}
          {status === "abandoned" && (
            <path d="m5 5 4 4m0-4-4 4" stroke={colour} strokeWidth="1.4" strokeLinecap="round" />
          )}
        </>
      )}
    </svg>
  );
}

const looks: Record<Kind, { readonly Icon: typeof Mail; readonly className: string }> = {
  task: { Icon: CircleDot, className: "text-muted" },
  base: { Icon: Layers, className: "text-info" },
  mutation: { Icon: Gavel, className: "text-warning" },
  message: { Icon: Mail, className: "text-faint" },
  integration: { Icon: Combine, className: "text-success" },
  pattern: { Icon: Sparkles, className: "text-review" },
};

export const kindNames: Record<Kind, string> = {
  task: "task",
  base: "base",
  mutation: "decision",
  message: "message",
  integration: "integration",
  pattern: "pattern",
};

export function KindIcon({ kind, size = 14 }: { readonly kind: Kind; readonly size?: number }) {
  const { Icon, className } = looks[kind];
  return <Icon size={size} className={`shrink-0 ${className}`} role="img" aria-label={kindNames[kind]} />;
}

const entriesOf =
  <Value extends string>(
    values: readonly Value[],
    look: (value: Value) => Pick<Exclude<MenuEntry, "separator">, "label" | "icon">,
  ) =>
  (chosen: Value | undefined, onChoose: (value: Value) => void): readonly MenuEntry[] =>
    values.map((value) => ({
      ...look(value),
      checked: value === chosen,
      onSelect: () => onChoose(value),
    }));

/** The choices of a change's or a task's metadata, for every menu that offers them. */
export const statusEntries = entriesOf<Status>(statuses, (status) => ({
  label: statusNames[status],
  icon: <StatusIcon status={status} />,
}));

const bars: Record<Priority, number> = { critical: 4, high: 3, medium: 2, low: 1 };

/** Signal bars; critical has a filled sign. */
export function PriorityIcon({
  priority,
  size = 14,
}: {
  readonly priority: Priority;
  readonly size?: number;
}) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 14 14"
      role="img"
      aria-label={`${priority} priority`}
      className="shrink-0"
    >
      {priority === "critical" ? (
        <>
          <rect x="1" y="1" width="12" height="12" rx="3" fill="var(--danger)" />
          <path d="M7 3.8v3.8" stroke="var(--surface)" strokeWidth="1.7" strokeLinecap="round" />
          <circle cx="7" cy="10.1" r="1" fill="var(--surface)" />
        </>
      ) : (
        [1, 2, 3].map((bar) => (
          <rect
            key={bar}
            x={bar * 4 - 3}
            y={13 - bar * 3.6}
            width="2.6"
            height={bar * 3.6}
            rx="1"
            fill={bar <= bars[priority] ? "var(--muted)" : "var(--line-strong)"}
          />
        ))
      )}
    </svg>
  );
}

export const priorityEntries = entriesOf<Priority>(priorities, (priority) => ({
  label: priority,
  icon: <PriorityIcon priority={priority} />,
}));

export const kindEntries = entriesOf<Kind>(kinds, (kind) => ({
  label: kindNames[kind],
  icon: <KindIcon kind={kind} />,
}));
