import { type ReactNode, useEffect, useRef } from "react";
import { TextArea } from "../../kit/field.tsx";
import { focusSoon } from "../../kit/focus-soon.ts";
import { matches } from "../../kit/keyboard.ts";

interface CommentFrameProps {
  readonly line: number;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly isUsable: boolean;
  readonly onSend: () => void;
  readonly onDone: () => void;
  /** What can be done with the words. */
  readonly children: ReactNode;
}

/** The place of what is written of a line and not sent, whoever would read it. */
export const lineDraft = (changeId: string, { path, line }: { path: string; line: number }): string =>
  `line ${changeId} ${path} ${line}`;

/** What is written of one line, below it. */
export const CommentFrame = ({
  line,
  text,
  onText,
  isUsable,
  onSend,
  onDone,
  children,
}: CommentFrameProps) => {
  const field = useRef<HTMLTextAreaElement>(null);
  // Not autoFocus: the diff gives a note its slot after the note was mounted, and an element without one takes no focus.
  useEffect(() => {
    field.current?.focus();
    if (document.activeElement !== field.current) focusSoon(() => field.current);
  }, []);
  return (
    <form
      aria-label={`Comment on line ${line}`}
      className="flex flex-col gap-1.5 rounded-lg border bg-surface px-2.5 py-2 font-sans text-base text-text"
      onSubmit={(event) => {
        event.preventDefault();
        if (isUsable) onSend();
      }}
      // Also from the choice of who reads it.
      onKeyDown={(event) => {
        // The arrows and letters of the diff mean something else in here.
        event.stopPropagation();
        if (event.key === "Escape") {
          event.preventDefault();
          onDone();
        } else if (matches(event, "mod+Enter") && isUsable) {
          event.preventDefault();
          onSend();
        }
      }}
    >
      <TextArea
        ref={field}
        rows={3}
        aria-label="Comment"
        placeholder={`Comment on line ${line}`}
        maxLength={20_000}
        value={text}
        onChange={(event) => onText(event.target.value)}
      />
      {children}
    </form>
  );
};
