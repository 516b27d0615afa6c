import type { Status } from "#shared/domain/graph-words/metadata.ts";

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
