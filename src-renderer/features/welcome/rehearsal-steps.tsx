import { Check, LoaderCircle } from "lucide-react";
import type { ComponentProps } from "react";
import { Button } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { useHost } from "../../state/host-store.ts";
import { cancelRehearsal, usePreparing } from "./start-rehearsal.ts";

/** What happens between the click and the first sight of the run. */
export function RehearsalSteps() {
  const opening = useHost((state) => state.opening);
  const at = opening === null ? 0 : 1;
  return (
    <span role="status" className="flex flex-col gap-0.5 text-sm">
      {["Creating an example repository", "Reading the graph", "Starting the run"].map((words, index) => (
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

interface CancelRehearsalProps extends Pick<ComponentProps<typeof Button>, "size" | "className"> {
  readonly title: string;
}

/** Has the focus while one is being prepared: there is nothing else to do. */
export function CancelRehearsal({ title, ...look }: CancelRehearsalProps) {
  const isCancelled = usePreparing((state) => state.isCancelled);
  return (
    <Button
      autoFocus
      aria-label={`Cancel “${title}”`}
      disabled={isCancelled}
      onClick={() => void cancelRehearsal()}
      {...look}
    >
      Cancel
    </Button>
  );
}

/** How far a rehearsal is that was begun over an open repository; the welcome shows it in its own place. */
export function PreparingDialog() {
  const { name, over } = usePreparing();
  const here = useHost((state) => state.repository?.path ?? null);
  const title = useHost((state) => state.app?.rehearsals.find((one) => one.name === name)?.title ?? "");
  if (name === null || over === null || over !== here) return null;
  return (
    <Dialog
      open
      onClose={() => void cancelRehearsal()}
      title="Preparing a rehearsal"
      description={title}
      width="w-[420px]"
      actions={<CancelRehearsal title={title} />}
    >
      <RehearsalSteps />
    </Dialog>
  );
}
