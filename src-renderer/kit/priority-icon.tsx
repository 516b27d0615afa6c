import type { Priority } from "#shared/domain/graph-words/metadata.ts";

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
