import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import type { ReactNode, Ref } from "react";
import { create } from "zustand";
import { Button } from "./button.tsx";
import { cx } from "./class-names.ts";
import { useReturnedFocus } from "./focus-soon.ts";

export interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: ReactNode;
  readonly width?: string;
  /** Nothing in it takes the focus: the whole does, and the arrows scroll it. */
  readonly isOnlyRead?: boolean;
  /** Stays where it is while what is below it scrolls. */
  readonly above?: ReactNode;
  /** What scrolls. */
  readonly list?: Ref<HTMLDivElement>;
  readonly children: ReactNode;
  /** Buttons at the lower edge, the primary one last. */
  readonly actions?: ReactNode;
}

export function Dialog({
  open,
  onClose,
  title,
  description,
  width = "w-[480px]",
  isOnlyRead = false,
  above,
  list,
  children,
  actions,
}: DialogProps) {
  useReturnedFocus(open);
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="appear fixed inset-0 z-40 bg-black/30" />
        <Base.Popup
          finalFocus={false}
          className={cx(
            "appear fixed top-[12vh] left-1/2 z-40 flex max-h-[calc(88vh-24px)] max-w-[calc(100vw-32px)] -translate-x-1/2 flex-col rounded-lg border bg-raised shadow-pop outline-none",
            width,
          )}
        >
          <header className="py-2 pt-3.5 pr-14 pl-4">
            <Base.Title className="text-lg font-semibold">{title}</Base.Title>
            {description && <Base.Description className="mt-0.5 text-muted">{description}</Base.Description>}
          </header>
          {above && <div className="px-4 pb-3">{above}</div>}
          <div
            ref={list}
            tabIndex={isOnlyRead ? 0 : undefined}
            className="min-h-0 flex-1 overflow-y-auto px-4 pb-4"
          >
            {children}
          </div>
          {actions && <div className="flex justify-end gap-2 border-t px-4 py-3">{actions}</div>}
          {/* Last, so that what the dialog is for has the focus first. */}
          <Base.Close
            aria-label="Close"
            className="absolute top-3.5 right-3 inline-flex size-7 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text"
          >
            <X size={15} aria-hidden />
          </Base.Close>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

interface Question {
  readonly title: string;
  readonly body: ReactNode;
  readonly action: string;
  /** Of the button that says no. Default: Cancel. */
  readonly decline?: string;
  readonly danger?: boolean;
}

const useQuestion = create<{
  readonly asked: (Question & { readonly answer: (yes: boolean) => void }) | null;
}>(() => ({
  asked: null,
}));

/**
 * Asks before something that cannot be undone easily.
 *
 * Shows the question and answers with what the user chose; closing it is a no.
 */
export const confirm = (question: Question): Promise<boolean> =>
  new Promise((resolve) => {
    useQuestion.getState().asked?.answer(false);
    useQuestion.setState({
      asked: {
        ...question,
        answer: (yes) => {
          useQuestion.setState({ asked: null });
          resolve(yes);
        },
      },
    });
  });

/** Mounted once, at the root. */
export function ConfirmDialog() {
  const asked = useQuestion((state) => state.asked);
  if (!asked) return null;
  return (
    <Dialog
      open
      onClose={() => asked.answer(false)}
      title={asked.title}
      width="w-[420px]"
      actions={
        <>
          <Button onClick={() => asked.answer(false)}>{asked.decline ?? "Cancel"}</Button>
          <Button look={asked.danger ? "danger" : "primary"} autoFocus onClick={() => asked.answer(true)}>
            {asked.action}
          </Button>
        </>
      }
    >
      <div className="text-muted">{asked.body}</div>
    </Dialog>
  );
}
