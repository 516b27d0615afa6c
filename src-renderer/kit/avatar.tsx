import type { WorkerView } from "#shared/contract/views/worker.ts";
import { cx } from "./class-names.ts";

/** Two signs for a name: `agent-42` → 42, `O-A-1` → A1, `integrator` and `integrator-b-1` → in. */
function initials(name: string): string {
  const orchestrator = /^O-([A-Z])-(\d+)$/u.exec(name);
  if (orchestrator) return `${orchestrator[1]}${orchestrator[2]}`;
  const number = /^[a-z]+-\d*?(\d{1,2})$/u.exec(name);
  return number?.[1] ?? name.slice(0, 2);
}

/** As many as can be told apart; those eight apart differ in more than their shade. */
const hues = 16;

/** The same name has the same hue everywhere, and those who are counted after each other have different ones. */
export function hueOf(name: string): number {
  const [, kind = name, number = "0"] = /^(.*?)(\d+)$/u.exec(name) ?? [];
  // Three more, so that the first agents have the first hues.
  let hash = Number(number) + 3;
  for (const letter of kind) hash += letter.codePointAt(0) ?? 0;
  return hash % hues;
}

const active: ReadonlySet<WorkerView["state"]> = new Set(["thinking", "tools", "checking"]);

interface AvatarProps {
  readonly name: string;
  readonly state?: WorkerView["state"];
  readonly size?: number;
}

export function Avatar({ name, state, size = 18 }: AvatarProps) {
  const works = state !== undefined && active.has(state);
  return (
    <span
      role="img"
      aria-label={state ? `${name}, ${state}` : name}
      title={state ? `${name}: ${state}` : name}
      className="relative inline-flex shrink-0 items-center justify-center rounded-full text-xs leading-none font-semibold tracking-tight"
      style={{ width: size, height: size, background: `var(--lane-${hueOf(name)})`, color: "var(--surface)" }}
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
