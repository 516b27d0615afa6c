// biome-ignore-all lint/a11y/useFocusableInteractive: the list has the focus and names its active option
import { CornerLeftUp, Folder, FolderGit2, GitBranch } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { FolderEntry } from "#shared/contract/commands/app.ts";
import { client, toFailure } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { failureText } from "../../kit/failure-line.tsx";
import { TextInput } from "../../kit/field.tsx";
import { IndeterminateLine } from "../../kit/load-failure.tsx";
import type { Action } from "../../registry/action.ts";
import { dialogWhenOpen } from "../../registry/dialog-when-open.tsx";
import type { Feature } from "../../registry/feature.ts";
import { useHost } from "../../state/host-store.ts";
import { closeDialog, openDialog } from "../../state/selection-store.ts";
import { openFolder, tryToOpen } from "./open-folder.tsx";
import { PreparingDialog } from "./rehearsal-steps.tsx";
import { recentKeys } from "./repository-lists.tsx";
import { startRehearsal } from "./start-rehearsal.ts";

/** The palette's commands for all rehearsals but the first, which has its own entry. */
const rehearsalCommands = (): readonly Action[] =>
  (useHost.getState().app?.rehearsals ?? []).slice(1).map(({ name, title }) => ({
    id: `rehearsal-${name}`,
    title: `Watch the rehearsal “${title}”`,
    group: "Repository",
    command: "rehearsal.start",
    words: "demo example tour",
    run: () => void startRehearsal(name),
  }));

/** What is open in the window. */
const repositoryActions: readonly Action[] = [
  {
    id: "open",
    title: "Open a repository…",
    group: "Repository",
    command: "repository.open",
    keys: "mod+o",
    words: "folder",
    whileTyping: true,
    run: () => openDialog("open-repository"),
  },
  {
    id: "rehearsal",
    title: "Watch the rehearsal",
    group: "Repository",
    command: "rehearsal.start",
    words: "demo example tour",
    available: () => (useHost.getState().app?.rehearsals.length ?? 0) > 0,
    run: () => void startRehearsal(),
  },
];

/** Opening and closing repositories. */
export const welcome: Feature = {
  actions: repositoryActions,
  commands: rehearsalCommands,
  keys: [recentKeys],
  dialogs: [dialogWhenOpen("open-repository", OpenRepositoryDialog), PreparingDialog],
};

interface Listing {
  readonly path: string;
  readonly parent: string | null;
  readonly entries: readonly FolderEntry[];
}

const icons = {
  jj: <GitBranch size={14} className="text-accent-text" aria-label="jj repository" />,
  git: <FolderGit2 size={14} className="text-muted" aria-label="Git repository" />,
  folder: <Folder size={14} className="text-faint" aria-hidden />,
};

const kinds = { jj: "jj", git: "Git", folder: "" };

/** A folder picker of our own, for a browser; the system's dialog stays one click away where there is one. */
function OpenRepositoryDialog() {
  const native = useHost((state) => state.app?.nativeDialog ?? false);
  const picker = useFolderPicker();
  const { listing, typed, failure } = picker;
  const list = useRef<HTMLDivElement>(null);
  return (
    <Dialog
      open
      onClose={closeDialog}
      title="Open a repository"
      width="w-[600px]"
      actions={
        <>
          {native && <Button onClick={() => void openFolder()}>System dialog…</Button>}
          <span className="flex-1" />
          <Button onClick={closeDialog}>Cancel</Button>
          <Button
            look="primary"
            disabled={typed === "" || picker.isOpening}
            onClick={() => void picker.open(typed)}
          >
            Open this folder
          </Button>
        </>
      }
    >
      <form
        className="flex gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          void picker.go(typed === "" ? null : typed);
        }}
      >
        <Button
          aria-label="Parent folder"
          disabled={!listing?.parent}
          onClick={() => listing?.parent && void picker.go(listing.parent)}
        >
          <CornerLeftUp size={14} aria-hidden />
        </Button>
        <TextInput
          aria-label="Path"
          autoFocus
          value={typed}
          placeholder="/path/to/repository"
          aria-invalid={failure !== null}
          className="font-mono text-sm"
          onChange={(event) => picker.type(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "ArrowDown") return;
            event.preventDefault();
            list.current?.focus();
          }}
        />
        <Button type="submit">Go</Button>
      </form>
      {picker.isOpening && <IndeterminateLine label="Setting up the repository" />}
      <p role="alert" className="min-h-6 pt-1 text-sm text-danger">
        {failure && failureText(failure)}
      </p>
      <FolderList ref={list} picker={picker} />
      <p className="mt-2 text-sm text-faint">Double-click or press Enter to open a repository or a folder.</p>
    </Dialog>
  );
}

type FolderPicker = ReturnType<typeof useFolderPicker>;

/** The picker's folder, and navigation from there. Of two pending answers only the newest counts. */
function useFolderPicker() {
  const [listing, setListing] = useState<Listing | null>(null);
  const [typed, setTyped] = useState("");
  const [failure, setFailure] = useState<{ readonly text: string; readonly remedy: string | null } | null>(
    null,
  );
  const [isOpening, setOpening] = useState(false);
  const newest = useRef(0);
  /** The start of a name that is typed: only entries that begin with it are listed. */
  const [start, setStart] = useState("");
  const lettersTyped = useRef(0);
  const lastRead = useRef<string | null>(null);
  const choose = (path: string): void => {
    lettersTyped.current += 1;
    setTyped(path);
  };
  const type = (text: string): void => {
    choose(text);
    const end = Math.max(text.lastIndexOf("/"), text.lastIndexOf("\\")) + 1;
    setStart(text.slice(end));
    const folder = text.slice(0, end);
    if (folder !== "" && folder !== lastRead.current) void list(folder);
  };
  /** Lists the folder of a path that is being typed; while there is none of that name, the last one stays. */
  const list = async (folder: string): Promise<void> => {
    lastRead.current = folder;
    const ticket = ++newest.current;
    try {
      const answer = await client.folder.list({ path: folder });
      if (ticket === newest.current) setListing(answer);
    } catch {
      // It is not written to its end yet: *Go* says what is wrong with it.
    }
  };

  const go = async (path: string | null): Promise<void> => {
    const ticket = ++newest.current;
    const before = lettersTyped.current;
    try {
      const answer = await client.folder.list({ path });
      if (ticket !== newest.current) return;
      setListing(answer);
      lastRead.current = null;
      setStart("");
      // What was typed while the folder was read is the user's.
      if (before === lettersTyped.current) setTyped(answer.path);
      setFailure(null);
    } catch (error) {
      if (ticket === newest.current) setFailure(toFailure(error));
    }
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once, when the dialog opens
  useEffect(() => void go(null), []);

  const open = async (path: string): Promise<void> => {
    setOpening(true);
    const end = await tryToOpen(path);
    setOpening(false);
    if (end.kind === "failed") setFailure(end);
  };

  const entries = (listing?.entries ?? []).filter(({ name }) =>
    name.toLowerCase().startsWith(start.toLowerCase()),
  );
  return { listing, entries, start, typed, failure, isOpening, type, choose, go, open };
}

interface FolderListProps {
  readonly ref: React.Ref<HTMLDivElement>;
  readonly picker: FolderPicker;
}

function FolderList({
  ref,
  picker: { listing, entries, start, choose: choosePath, go, open },
}: FolderListProps) {
  const [at, setAt] = useState({ key: "", index: 0 });
  // Another folder, or another start of a name, begins with its first entry.
  const key = `${listing?.path}\n${start}`;
  const chosen = at.key === key ? at.index : 0;
  const choose = (index: number): void => setAt({ key, index });
  const enter = (entry: FolderEntry): void =>
    void (entry.kind === "folder" ? go(entry.path) : open(entry.path));
  return (
    <div
      ref={ref}
      role="listbox"
      aria-label="Folders"
      tabIndex={0}
      aria-activedescendant={entries[chosen] ? `folder-${chosen}` : undefined}
      className="h-72 overflow-y-auto rounded-md border bg-surface p-1 outline-none focus-visible:outline-2"
      onKeyDown={(event) => {
        const entry = entries[chosen];
        if (event.key === "ArrowDown") choose(Math.min(entries.length - 1, chosen + 1));
        else if (event.key === "ArrowUp") choose(Math.max(0, chosen - 1));
        else if (event.key === "Enter" && entry) enter(entry);
        else if (event.key === "ArrowRight" && entry) void go(entry.path);
        else if ((event.key === "ArrowLeft" || event.key === "Backspace") && listing?.parent)
          void go(listing.parent);
        else return;
        event.preventDefault();
      }}
    >
      {entries.length === 0 && listing && (
        // A list has to hold something for who hears it.
        <div
          role="option"
          aria-disabled="true"
          aria-selected={false}
          className="px-2 py-8 text-center text-muted"
        >
          {start === "" ? "No folders here." : "No folder starts with that."}
        </div>
      )}
      {entries.map((entry, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the list itself takes the keys
        <div
          key={entry.path}
          id={`folder-${index}`}
          role="option"
          aria-selected={index === chosen}
          ref={index === chosen ? scrollIntoSight : undefined}
          onClick={() => {
            choose(index);
            choosePath(entry.path);
          }}
          onDoubleClick={() => enter(entry)}
          className={cx("flex h-7 items-center gap-2 rounded-sm px-2", index === chosen && "bg-selected")}
        >
          {icons[entry.kind]}
          <span dir="auto" title={entry.name} className="min-w-0 flex-1 truncate">
            {entry.name}
          </span>
          <span className="text-xs text-faint">{kinds[entry.kind]}</span>
        </div>
      ))}
    </div>
  );
}

const scrollIntoSight = (element: HTMLElement | null): void => {
  element?.scrollIntoView({ block: "nearest" });
};
