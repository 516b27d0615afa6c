import { File as FileIcon } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { client, toFailure } from "../../../client.ts";
import { cx } from "../../../kit/class-names.ts";
import { Field, TextArea } from "../../../kit/field.tsx";

interface GoalFieldProps {
  readonly goal: string;
  readonly onGoal: (goal: string) => void;
  /** Files that were pasted or dropped here. */
  readonly onFiles: (files: readonly File[]) => void;
}

/** What is typed behind an @ before the caret, and where it begins. */
function mentionAt(text: string, caret: number): { readonly from: number; readonly typed: string } | null {
  const [, typed] = /(?:^|[\s(])@([^\s@]{0,200})$/u.exec(text.slice(0, caret)) ?? [];
  return typed === undefined ? null : { from: caret - typed.length - 1, typed };
}

/** The goal, with files of the repository behind an @. */
export function GoalField({ goal, onGoal, onFiles }: GoalFieldProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState(goal.length);
  const mention = mentionAt(goal, caret);
  const { files, failure, chosen, move, close } = useFiles(mention?.typed ?? null);
  const listId = useId();
  const isOpen = mention !== null && files.length > 0;

  const insert = (path: string): void => {
    if (mention === null) return;
    const next = `${goal.slice(0, mention.from)}@${path} ${goal.slice(caret).replace(/^ /u, "")}`;
    const place = mention.from + path.length + 2;
    onGoal(next);
    setCaret(place);
    requestAnimationFrame(() => area.current?.setSelectionRange(place, place));
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (!isOpen || event.metaKey || event.ctrlKey) return;
    const path = files[chosen];
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if ((event.key === "Enter" || event.key === "Tab") && path !== undefined) insert(path);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <Field label="Goal" hint="Describe the result you want. Type @ to mention a file.">
      <div className="relative">
        <TextArea
          ref={area}
          autoFocus
          rows={4}
          dir="auto"
          value={goal}
          placeholder="Add user profiles: an API, a client and tests"
          aria-autocomplete="list"
          aria-controls={isOpen ? listId : undefined}
          aria-activedescendant={isOpen ? `${listId}-${chosen}` : undefined}
          onKeyDown={onKeyDown}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
          onBlur={close}
          onChange={(event) => {
            setCaret(event.target.selectionStart);
            onGoal(event.target.value);
          }}
          onPaste={(event) => {
            const pasted = [...event.clipboardData.files];
            if (pasted.length === 0) return;
            event.preventDefault();
            onFiles(pasted);
          }}
          onDragOver={(event) => {
            if (event.dataTransfer.types.includes("Files")) event.preventDefault();
          }}
          onDrop={(event) => {
            const dropped = [...event.dataTransfer.files];
            if (dropped.length === 0) return;
            event.preventDefault();
            event.stopPropagation();
            onFiles(dropped);
          }}
        />
        {isOpen && <FileList id={listId} files={files} chosen={chosen} onChoose={insert} />}
        {mention !== null && failure !== null && (
          <p role="alert" className="mt-1 text-sm text-danger">
            Could not list files: {failure}
          </p>
        )}
      </div>
    </Field>
  );
}

interface FileListProps {
  readonly id: string;
  readonly files: readonly string[];
  readonly chosen: number;
  readonly onChoose: (path: string) => void;
}

const FileList = ({ id, files, chosen, onChoose }: FileListProps) => (
  <div
    id={id}
    role="listbox"
    aria-label="Files of the repository"
    className="absolute inset-x-0 top-full z-10 mt-0.5 max-h-52 overflow-y-auto rounded-md border bg-raised p-1 shadow-pop"
  >
    {files.map((path, at) => (
      <div
        key={path}
        id={`${id}-${at}`}
        role="option"
        tabIndex={-1}
        aria-selected={at === chosen}
        // Before the field loses the focus.
        onMouseDown={(event) => {
          event.preventDefault();
          onChoose(path);
        }}
        className={cx(
          "flex h-7 cursor-default items-center gap-2 rounded-sm px-2 text-sm",
          at === chosen ? "bg-selected" : "hover:bg-hover",
        )}
      >
        <FileIcon size={13} className="shrink-0 text-faint" aria-hidden />
        <span className="min-w-0 truncate font-mono text-xs">{path}</span>
      </div>
    ))}
  </div>
);

const askAfterMs = 60;

/** Files that fit what was typed behind the @; none while there is no @, or after Escape. */
function useFiles(typed: string | null) {
  const [found, setFound] = useState<readonly string[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  const [chosen, setChosen] = useState(0);
  useEffect(() => {
    if (typed === null) {
      setFound([]);
      return;
    }
    let isCurrent = true;
    const timer = setTimeout(() => {
      client.start.files({ typed }).then(
        (files) => {
          if (!isCurrent) return;
          setFound(files);
          setFailure(null);
          setChosen(0);
        },
        (error: unknown) => {
          if (!isCurrent) return;
          setFound([]);
          setFailure(toFailure(error).text);
        },
      );
    }, askAfterMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [typed]);
  return {
    files: found,
    failure,
    chosen,
    move: (by: number): void => setChosen((before) => (before + by + found.length) % found.length),
    close: (): void => setFound([]),
  };
}
