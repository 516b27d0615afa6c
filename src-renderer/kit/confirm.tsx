/** Asks before something that cannot be undone easily. */
import type { ReactNode } from "react";
import { create } from "zustand";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

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

/** Shows the question and answers with what the person chose; closing it is a no. */
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
