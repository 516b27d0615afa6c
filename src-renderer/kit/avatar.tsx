import type { WorkerView } from "#shared/contract/views/run.ts";
import { isAtWork } from "#shared/domain/worker/roles.ts";
import { cx } from "./class-names.ts";

/** Two signs for a name, or one: `agent-42` → 42, `O-A-1` → A1, `O-A-12` → 12, `integrator` and `integrator-b-1` → in. */
export function initials(name: string): string {
  const orchestrator = /^O-([A-Z])-(\d+)$/u.exec(name);
  if (orchestrator) return `${orchestrator[1]}${orchestrator[2]}`.slice(-2);
  const number = /^[a-z]+-\d*?(\d{1,2})$/u.exec(name);
  return number?.[1] ?? name.slice(0, 2);
}

/** As many as can be told apart; those eight apart differ in more than their shade. */
const hues = 16;

/**
 * The colour of a worker, the same everywhere. Agents have one each, as far as there are; who leads, brings together, judges or
 * is Hox itself has none of theirs.
 */
export function colourOf(name: string): string {
  const number = /^agent-(?:.*-)?(\d+)$/u.exec(name)?.[1];
  return number === undefined ? "var(--muted)" : `var(--lane-${(Number(number) + hues - 1) % hues})`;
}

/** The colour of a worker; without one, that of planned work. */
export const laneColour = (worker: string | null): string =>
  worker === null ? "var(--line-strong)" : colourOf(worker);

interface AvatarProps {
  readonly name: string;
  readonly state?: WorkerView["state"];
  /** In px; a smaller one than the usual is narrow for two signs. */
  readonly size?: number;
}

/** Its signs are as large in every avatar: it is of one size, however large text is. */
export function Avatar({ name, state, size = 18 }: AvatarProps) {
  const works = state !== undefined && isAtWork(state);
  return (
    <span
      role="img"
      aria-label={state ? `${name}, ${state}` : name}
      title={state ? `${name}: ${state}` : name}
      className="relative inline-flex shrink-0 items-center justify-center rounded-full text-[11px] leading-none font-medium tracking-[-0.04em]"
      style={{ width: size, height: size, background: colourOf(name), color: "var(--surface)" }}
    >
      {initials(name)}
      {state && (
        <span
          className={cx(
            "absolute -right-0.5 -bottom-0.5 size-[7px] rounded-full border border-surface",
            works
              ? "breathe bg-success"
              : state === "waiting"
                ? "bg-warning"
                : state === "failed"
                  ? "bg-danger"
                  : "bg-faint",
          )}
        />
      )}
    </span>
  );
}
