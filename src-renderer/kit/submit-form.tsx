import type { ReactNode } from "react";
import { cx } from "./class-names.ts";
import { matches } from "./key-table.ts";

interface SubmitFormProps {
  /** False while something is missing, or while it is being sent. */
  readonly canSubmit: boolean;
  readonly onSubmit: () => Promise<void>;
  readonly className?: string;
  readonly children: ReactNode;
}

/** The fields of a dialog, sent by Enter in a line and by mod+Enter everywhere. */
export function SubmitForm({ canSubmit, onSubmit, className, children }: SubmitFormProps) {
  return (
    <form
      className={cx("flex flex-col gap-3", className)}
      onSubmit={(event) => {
        event.preventDefault();
        if (canSubmit) void onSubmit();
      }}
      onKeyDown={(event) => {
        if (!matches(event, "mod+Enter") || !canSubmit) return;
        event.preventDefault();
        void onSubmit();
      }}
    >
      {children}
    </form>
  );
}
