import { Check, LoaderCircle, Play } from "lucide-react";
import type { RehearsalView } from "#shared/contract/views/app.ts";
import { cx } from "../../kit/class-names.ts";
import { useHost } from "../../state/host-store.ts";

interface RehearsalChoicesProps {
  readonly rehearsals: readonly RehearsalView[];
  /** Name of the one that is being prepared. */
  readonly preparing: string | null;
  readonly disabled: boolean;
  readonly onWatch: (name: string) => void;
}

/** Every rehearsal with what it shows; the one that was chosen says how far it is. */
export function RehearsalChoices({ rehearsals, preparing, disabled, onWatch }: RehearsalChoicesProps) {
  return (
    <ul className="grid gap-2.5 sm:grid-cols-[repeat(auto-fit,minmax(220px,1fr))]" aria-label="Rehearsals">
      {rehearsals.map(({ name, title, description }, index) => (
        <li key={name} className="flex">
          <button
            type="button"
            {...(index === 0 ? { "data-first-focus": true } : {})}
            disabled={disabled}
            onClick={() => onWatch(name)}
            className={cx(
              "flex flex-1 flex-col gap-1 rounded-lg border bg-surface px-3.5 py-3 text-left",
              preparing === name
                ? "border-accent"
                : "enabled:hover:border-accent enabled:hover:bg-hover disabled:opacity-50",
            )}
          >
            <span className="flex items-center gap-2 font-medium">
              <Play size={14} className="shrink-0 text-accent-text" aria-hidden />
              {title}
            </span>
            {preparing === name ? (
              <Steps />
            ) : (
              <span className="text-sm text-pretty text-muted">{description}</span>
            )}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** What happens between the click and the first sight of the run. */
function Steps() {
  const opening = useHost((state) => state.opening);
  const at = opening === null ? 0 : 1;
  return (
    <span role="status" className="flex flex-col gap-0.5 text-sm">
      {["Making an example repository", "Reading its graph", "Starting the run"].map((words, index) => (
        <span
          key={words}
          className={cx("flex items-center gap-1.5", index === at ? "text-text" : "text-faint")}
        >
          {index < at ? (
            <Check size={13} className="text-success" aria-hidden />
          ) : index === at ? (
            <LoaderCircle size={13} className="animate-spin text-accent-text" aria-hidden />
          ) : (
            <span className="size-[13px]" />
          )}
          {words}
        </span>
      ))}
    </span>
  );
}
