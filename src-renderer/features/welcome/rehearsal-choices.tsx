import { Play } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { RehearsalView } from "#shared/contract/views/app.ts";
import { rehearsalTime } from "#shared/domain/rehearsal/rehearsal-time.ts";
import { cx } from "../../kit/class-names.ts";
import { CancelRehearsal, RehearsalSteps } from "./rehearsal-steps.tsx";

interface RehearsalChoicesProps {
  readonly rehearsals: readonly RehearsalView[];
  /** Name of the one that is being prepared. */
  readonly preparing: string | null;
  readonly disabled: boolean;
  readonly onWatch: (name: string) => void;
}

const card = "flex flex-1 flex-col gap-1 rounded-lg border bg-surface px-3.5 py-3 text-left";

/** Every rehearsal with what it shows and how long it takes; the one that was chosen says how far it is. */
export function RehearsalChoices({ rehearsals, preparing, disabled, onWatch }: RehearsalChoicesProps) {
  const returned = useFocusOfCancelled(preparing);
  return (
    <ul className="grid gap-2.5 sm:grid-cols-[repeat(auto-fit,minmax(220px,1fr))]" aria-label="Rehearsals">
      {rehearsals.map(({ name, title, description, seconds }, index) => (
        <li key={name} className="flex">
          {preparing === name ? (
            <Preparing title={title} />
          ) : (
            <button
              ref={returned(name)}
              type="button"
              {...(index === 0 ? { "data-first-focus": true } : {})}
              disabled={disabled}
              onClick={() => onWatch(name)}
              className={cx(card, "enabled:hover:border-accent enabled:hover:bg-hover disabled:opacity-50")}
            >
              <Title title={title} />
              <span className="text-sm text-pretty text-muted">{description}</span>
              <span className="mt-auto pt-1 text-xs text-faint tabular-nums">{rehearsalTime(seconds)}</span>
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Whoever cancels one finds the focus where it was when it was begun. */
function useFocusOfCancelled(preparing: string | null) {
  const [last, setLast] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  if (preparing !== null && preparing !== last) setLast(preparing);
  useEffect(() => {
    if (preparing === null && last !== null) button.current?.focus();
  }, [preparing, last]);
  return (name: string) => (name === last ? button : null);
}

const Title = ({ title }: { readonly title: string }) => (
  <span className="flex items-center gap-2 font-medium">
    <Play size={14} className="shrink-0 text-accent-text" aria-hidden />
    {title}
  </span>
);

const Preparing = ({ title }: { readonly title: string }) => (
  <div className={cx(card, "border-accent")}>
    <Title title={title} />
    <RehearsalSteps />
    <CancelRehearsal title={title} size="sm" className="mt-1 self-start" />
  </div>
);
