import { ArrowDown, ArrowUp, PencilLine, Split } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import type { ChangeDetails, ConflictSide, ConflictView } from "#shared/contract/commands/graph.ts";
import type { RunView, WorkerView } from "#shared/contract/views/run.ts";
import { counted, shortened } from "#shared/domain/text/format-text.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { isAtWork } from "#shared/domain/worker/roles.ts";
import type { Change } from "#shared/graph/change.ts";
import { client, type Failure } from "../../client.ts";
import { Button, IconButton, LinkButton } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { EmptyState } from "../../kit/empty-state.tsx";
import { FailureLine } from "../../kit/failure-line.tsx";
import { TextInput } from "../../kit/field.tsx";
import { FileName } from "../../kit/file-name.tsx";
import { Keys } from "../../kit/keys.tsx";
import { IndeterminateLine, LoadFailure } from "../../kit/load-failure.tsx";
import type { Feature, Page } from "../../registry/feature.ts";
import { draftRun, useTextDraft } from "../../state/drafts.ts";
import { type Resolution, settleConflict } from "../../state/graph-edits.ts";
import { changeOfKey, subjectOf, useChange, useGraph } from "../../state/graph-store.ts";
import { useHost, workersByChange } from "../../state/host-store.ts";
import { notify } from "../../state/notify.ts";
import { openIn } from "../../state/open-in.ts";
import { isReplaying, useReplay } from "../../state/replay-store.ts";
import { inspect, useSelection } from "../../state/selection-store.ts";
import { goThroughHistory } from "../../state/undo-and-redo.ts";
import { shownValue, useChangeDetails, useLoaded, useSubmit } from "../../state/use-loaded.ts";
import { type Writable, writableNow } from "../agent/writable.ts";
import {
  conflictKeys,
  conflictPage,
  type Draft,
  draftOf,
  keepDraft,
  showConflict,
  useShownConflict,
} from "./conflict-store.ts";
import { MergeEditor } from "./merge-editor.tsx";
import { beginning, undecided } from "./places.ts";
import { Sides } from "./sides.tsx";

/** The files in conflict of one change: who brought each side, and a result that a user writes. */
function ConflictPage() {
  const shown = useShownConflict((state) => state.shown);
  const change = useChange(shown?.changeId ?? null);
  if (!shown || !change)
    return (
      <EmptyState title="This change no longer exists">
        It was abandoned, or a different repository is open.
      </EmptyState>
    );
  return <ConflictsOf change={change} path={shown.path} />;
}

function ConflictsOf({ change, path }: { readonly change: Change; readonly path: string | null }) {
  const loaded = useChangeDetails(change.commitId);
  const details = shownValue(loaded);
  if (loaded.kind === "failed") return <LoadFailure failure={loaded.failure} again={loaded.again} />;
  if (!details) return <IndeterminateLine label="Loading the conflict" />;
  const paths = details.conflicts.map((file) => file.path);
  const shown = path !== null && paths.includes(path) ? path : (paths[0] ?? null);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 items-center gap-2 border-b px-4 py-2 text-sm">
        <LinkButton
          dir="auto"
          className="min-w-0 truncate font-medium"
          onClick={() => inspect(change.changeId)}
        >
          {subjectOf(change) || change.changeId.slice(0, 8)}
        </LinkButton>
        <span className="shrink-0 text-muted">
          {paths.length === 0 ? "has no conflict" : `${counted(paths.length, "file")} in conflict`}
        </span>
      </div>
      {shown === null ? (
        <Settled change={change} />
      ) : (
        <div className="flex min-h-0 flex-1">
          {paths.length > 1 && <Files change={change} details={details} shown={shown} />}
          <OneFile
            key={`${change.changeId} ${shown}`}
            change={change}
            // The commit whose files these are: another one may be there already, in which this one is settled.
            commitId={details.change.commitId}
            path={shown}
          />
        </div>
      )}
    </div>
  );
}

function Settled({ change }: { readonly change: Change }) {
  return (
    <EmptyState title="All conflicts of this change are resolved">
      <Button className="mt-2" onClick={() => inspect(change.changeId)}>
        Back to the change
      </Button>
    </EmptyState>
  );
}

interface FilesProps {
  readonly change: Change;
  readonly details: ChangeDetails;
  readonly shown: string;
}

function Files({ change, details, shown }: FilesProps) {
  return (
    <nav
      aria-label="Files in conflict"
      className="w-56 shrink-0 overflow-y-auto border-r p-1.5 max-[900px]:w-40"
    >
      <ul>
        {details.conflicts.map(({ path, sides }) => (
          <li key={path} className="flex items-center">
            <button
              type="button"
              aria-current={path === shown}
              onClick={(event) => {
                if (path !== shown) showConflict(change.changeId, path);
                else focusResult(event.currentTarget);
              }}
              className={cx(
                "flex min-w-0 flex-1 items-center gap-2 rounded-md px-2 py-1 text-left text-sm",
                path === shown ? "bg-selected" : "hover:bg-hover",
              )}
            >
              <FileName path={path} className="min-w-0 flex-1 font-mono text-xs" />
              <span className="shrink-0 text-xs text-muted">{sides} sides</span>
            </button>
            <IconButton
              label={`Open ${shownName(path)} in the editor`}
              icon={<PencilLine size={13} />}
              className="size-6"
              onClick={() => openIn("editor", change.changeId, { path })}
            />
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Choosing the file that is already open also focuses its editor. */
const focusResult = (within: Element): void =>
  within
    .closest('[aria-label="Conflict"]')
    ?.querySelector<HTMLElement>('[role="textbox"][aria-label="Result"]')
    ?.focus();

interface OneFileProps {
  readonly change: Change;
  readonly commitId: string;
  readonly path: string;
}

function OneFile({ change, commitId, path }: OneFileProps) {
  const loaded = useLoaded(`${commitId} ${path}`, () => client.change.conflict({ commitId, path }));
  const view = shownValue(loaded);
  if (loaded.kind === "failed") return <LoadFailure failure={loaded.failure} again={loaded.again} />;
  if (!view) return <IndeterminateLine label="Loading the sides" />;
  // Work on other files makes new commits all the time; what is written here belongs to the state of this one.
  return <FileConflict key={view.seen} change={change} view={view} />;
}

/** Nothing is written into a change while its agent is in the middle of a turn. */
function WaitsForTurn({ change }: { readonly change: Change }) {
  const name = useHost(({ run }) => {
    const own = workersByChange(run?.workers ?? []).get(change.changeId);
    return own && isAtWork(own.state) ? own.name : null;
  });
  return name === null ? null : (
    <p role="status" className="shrink-0 border-t px-3 py-1.5 text-sm text-muted">
      {name} is in the middle of a turn. Your resolution is saved when the turn ends.
    </p>
  );
}

interface FileConflictProps {
  readonly change: Change;
  readonly view: ConflictView;
}

/** One file: its sides above, below them the result, and who else could write it. */
function FileConflict({ change, view }: FileConflictProps) {
  const names = useMemo(() => sideNames(view.sides), [view.sides]);
  const firstSide = view.sides.findIndex(({ kind }) => kind === "side");
  const [compared, setCompared] = useState(Math.max(0, firstSide));
  const { sending, failure, settle } = useSettle(change, view);
  const canWrite = !isReplaying() && !change.immutable;
  return (
    <div className="flex min-w-0 flex-1 flex-col">
      <Sides
        view={view}
        names={names}
        compared={view.kind === "text" ? compared : null}
        onCompare={setCompared}
        onTake={canWrite && sending === null ? (commit) => void settle({ kind: "commit", commit }) : null}
      />
      {view.kind === "text" ? (
        <WrittenResult
          view={view}
          names={names}
          compared={compared}
          failure={failure}
          isBusy={sending !== null}
          canWrite={canWrite}
          onSave={(text) => void settle({ kind: "text", text })}
        />
      ) : (
        <WholeFile view={view} failure={failure} />
      )}
      {sending !== null && <WaitsForTurn change={change} />}
      {canWrite && sending === null && <HandOver change={change} path={view.path} />}
    </div>
  );
}

interface Helper {
  readonly worker: WorkerView;
  readonly writable: Extract<Writable, { kind: "open" }>;
}

/** The worker of the change, or else its orchestrator; null where no agent would read it. */
function helperOf(change: Change, run: RunView | null): Helper | null {
  if (run === null) return null;
  const own = workersByChange(run.workers).get(change.changeId);
  const lead = run.workers.find(({ name }) => name === (change.metadata.orchestrator ?? own?.parent));
  for (const worker of [own, lead]) {
    const writable = worker ? writableNow(worker, run) : null;
    if (worker && writable?.kind === "open") return { worker, writable };
  }
  return null;
}

interface HandOverProps {
  readonly change: Change;
  readonly path: string;
}

/** Gives the conflict to an agent, with a word about how: to one that is at work, or to one that begins with it. */
function HandOver({ change, path }: HandOverProps) {
  const run = useHost((state) => state.run);
  const isReplaying = useReplay(({ view }) => view !== null);
  const helper = helperOf(change, run);
  const name = helper?.worker.name;
  const [words, setText, takeOut] = useTextDraft(`conflict ${change.changeId} ${path} ${name ?? ""}`);
  const { sending, failure, submit } = useSubmit<"sending">();
  if (isReplaying) return null;
  const ask = (file: string): string => [`Resolve the conflict in ${file}.`, words.trim()].join(" ").trim();
  const send = (): Promise<void> =>
    submit("sending", async () => {
      if (!helper) {
        const subject = subjectOf(change);
        const where = `${shownName(path)}${subject === "" ? "" : ` of “${subject}”`}`;
        // Nothing has started yet: closing the dialog keeps the words here.
        draftRun({ goal: ask(where), onto: change.changeId, isQuick: true });
        return;
      }
      const { worker, writable } = helper;
      await client.run.messageWorker({ worker: worker.name, text: ask(shownName(path)) });
      takeOut(words);
      if (writable.canInterrupt) await client.run.interruptWorker({ worker: worker.name });
      notify("info", `${worker.name} was asked to resolve ${shownName(path)}.`);
      inspect(change.changeId);
    });
  return (
    <form
      aria-label={`Assign to ${name ?? "a new agent"}`}
      className="flex shrink-0 flex-col border-t px-3 py-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (sending === null) void send();
      }}
    >
      <div className="flex items-center gap-2">
        <TextInput
          aria-label={`How ${name ?? "an agent"} should resolve it`}
          placeholder={`Or let ${name ?? "an agent"} resolve it: instructions (optional)`}
          maxLength={10_000}
          value={words}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit" disabled={sending !== null}>
          {name === undefined ? "Start a run for it…" : `Assign to ${name}`}
        </Button>
      </div>
      {failure && <FailureLine failure={failure} />}
    </form>
  );
}

/** Whose text it is, in as few words as tell the sides apart. */
function sideNames(sides: readonly ConflictSide[]): readonly string[] {
  const names = sides.map(nameOf);
  return names.map((name, at) =>
    names.some((other, place) => other === name && place !== at) ? `${name} (${at + 1})` : name,
  );
}

function nameOf({ kind, agent, title, changeKind, changeId }: ConflictSide): string {
  if (kind === "base") return "Base";
  if (changeKind === "mutation") return `Decision: ${shortened(shownLine(title), 40)}`;
  if (agent !== null) return agent;
  return title === "" ? (changeId?.slice(0, 8) ?? "A side") : shortened(shownLine(title), 40);
}

/** Writes what was decided into the change; that can be taken back as any operation. */
function useSettle(change: Change, view: ConflictView) {
  const { sending, failure, submit } = useSubmit<"settling">();
  const settle = (as: Resolution): Promise<void> =>
    submit("settling", async () => {
      const { path, seen } = view;
      const { changeId } = change;
      const isResolved = await settleConflict({ changeId, path, seen, as });
      keepDraft(seen, null);
      notify(
        isResolved ? "info" : "warning",
        isResolved
          ? `Resolved ${shownName(path)}.`
          : `${shownName(path)} was saved and is still in conflict.`,
        isResolved ? null : "The saved text contains conflict markers.",
        { action: { label: "Undo", run: () => void goThroughHistory("undo") } },
      );
    });
  return { sending, failure, settle };
}

interface WrittenResultProps {
  readonly view: Extract<ConflictView, { kind: "text" }>;
  readonly names: readonly string[];
  readonly compared: number;
  readonly failure: Failure | null;
  readonly isBusy: boolean;
  readonly canWrite: boolean;
  readonly onSave: (text: string) => void;
}

function WrittenResult(props: WrittenResultProps) {
  const { view, names, compared, failure, isBusy, canWrite, onSave } = props;
  const [initial] = useState<Draft>(() => draftOf(view.seen) ?? beginning(view.parts));
  const [draft, setDraft] = useState(initial);
  const walk = useRef<(step: 1 | -1) => void>(() => undefined);
  const left = undecided(draft.places);
  const isReady = canWrite && left === 0 && !isBusy;
  const save = (): void => {
    if (isReady) onSave(draft.text);
  };
  return (
    <>
      <div className="grid shrink-0 grid-cols-2 border-b bg-canvas text-sm text-muted">
        <span className="flex items-center truncate border-r px-3 py-1">
          <span className="font-medium text-text">{names[compared]}</span>
        </span>
        <span className="flex items-center gap-1 px-3 py-1">
          <span className="font-medium text-text">Result</span>
          <span role="status" className="min-w-0 flex-1 truncate">
            {left === 0
              ? "all conflicts resolved"
              : `${left} of ${counted(draft.places.length, "conflict")} unresolved`}
          </span>
          <IconButton
            label="Previous conflict"
            keys="alt+ArrowUp"
            className="size-6"
            icon={<ArrowUp size={13} />}
            onClick={() => walk.current(-1)}
          />
          <IconButton
            label="Next conflict"
            keys="alt+ArrowDown"
            className="size-6"
            icon={<ArrowDown size={13} />}
            onClick={() => walk.current(1)}
          />
          <Button
            look="primary"
            size="sm"
            disabled={!isReady}
            title={left === 0 ? "Save the result to the change" : "Resolve every conflict first"}
            onClick={save}
          >
            {isBusy ? "Saving…" : "Save"} <Keys keys="mod+Enter" />
          </Button>
        </span>
      </div>
      {failure && <FailureLine failure={failure} className="shrink-0 border-b px-3 py-1" />}
      <div className="min-h-0 flex-1">
        <MergeEditor
          seen={view.seen}
          parts={view.parts}
          names={names}
          compared={compared}
          initial={initial}
          onChange={setDraft}
          onSave={save}
          walk={walk}
        />
      </div>
    </>
  );
}

const whyWhole = {
  binary: "This file is binary and cannot be merged line by line. Take one side.",
  long: "This file is too long to merge line by line here. Take one side, or resolve it in a workspace.",
  "no-file": "One side is a link or a folder. Take one side.",
} as const;

function WholeFile({
  view,
  failure,
}: {
  readonly view: Extract<ConflictView, { kind: "whole" }>;
  readonly failure: Failure | null;
}) {
  return (
    <div className="min-h-0 flex-1 overflow-auto p-4 text-muted">
      <p>{whyWhole[view.why]}</p>
      <FailureLine failure={failure} />
      {view.words !== "" && (
        <pre className="mt-3 rounded-md bg-sunken p-3 font-mono text-xs whitespace-pre-wrap" data-selectable>
          {view.words}
        </pre>
      )}
    </div>
  );
}

const page: Page = {
  id: conflictPage,
  title: "Conflict",
  icon: <Split size={15} />,
  keys: "",
  words: "",
  isOfOneChange: true,
  Body: ConflictPage,
};

const isInConflict = (changeId: string | null): changeId is string => {
  const { graph } = useGraph.getState();
  return changeId !== null && graph !== null && (changeOfKey(graph, changeId)?.conflict ?? false);
};

/** Conflicts seen and settled where they are. */
export const conflict: Feature = {
  pages: [page],
  keys: [conflictKeys],
  actions: [
    {
      id: "settle-conflict",
      title: "Resolve the conflict of the selected change…",
      group: "Repository",
      words: "resolve merge sides base markers",
      available: () => isInConflict(useSelection.getState().selected),
      run: () => {
        const { selected } = useSelection.getState();
        if (isInConflict(selected)) showConflict(selected);
      },
    },
  ],
  changeMenu: {
    order: 0,
    entriesOf: (changeId) =>
      isInConflict(changeId)
        ? [
            {
              label: "Resolve the conflict…",
              icon: <Split size={14} />,
              command: "change.resolveConflict",
              onSelect: () => showConflict(changeId),
            },
          ]
        : [],
  },
};
