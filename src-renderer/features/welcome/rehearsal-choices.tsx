import { Check, LoaderCircle, Play } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { RehearsalView } from "#shared/contract/views/app.ts";
import { rehearsalTime } from "#shared/domain/rehearsal/rehearsal-time.ts";
import { Button } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { useHost } from "../../state/host-store.ts";

interface RehearsalChoicesProps {
  readonly rehearsals: readonly RehearsalView[];
  /** Name of the one that is being prepared. */
  readonly preparing: string | null;
  readonly disabled: boolean;
  readonly onWatch: (name: string) => void;
  readonly onCancel: (name: string) => void;
}

const card = "flex flex-1 flex-col gap-1 rounded-lg border bg-surface px-3.5 py-3 text-left";

/** Every rehearsal with what it shows and how long it takes; the one that was chosen says how far it is. */
export function RehearsalChoices({
  rehearsals,
  preparing,
  disabled,
  onWatch,
  onCancel,
}: RehearsalChoicesProps) {
  const returned = useFocusOfCancelled(preparing);
  return (
    <ul className="grid gap-2.5 sm:grid-cols-[repeat(auto-fit,minmax(220px,1fr))]" aria-label="Rehearsals">
      {rehearsals.map(({ name, title, description, seconds }, index) => (
        <li key={name} className="flex">
          {preparing === name ? (
            <Preparing title={title} onCancel={() => onCancel(name)} />
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

function Preparing({ title, onCancel }: { readonly title: string; readonly onCancel: () => void }) {
  const [isCancelled, setCancelled] = useState(false);
  return (
    <div className={cx(card, "border-accent")}>
      <Title title={title} />
      <Steps />
      <Button
        autoFocus
        size="sm"
        className="mt-1 self-start"
        aria-label={`Cancel “${title}”`}
        disabled={isCancelled}
        onClick={() => {
          setCancelled(true);
          onCancel();
        }}
      >
        Cancel
      </Button>
    </div>
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
