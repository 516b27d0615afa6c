/** The whole repository back to a moment: what that does, before it is done. */

import { ArrowRight } from "lucide-react";
import { useMemo } from "react";
import { create } from "zustand";
import type { RestorePreview } from "#shared/contract/commands/graph.ts";
import { parseAssignment } from "#shared/domain/change-metadata/address.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import type { Operation } from "#shared/graph/change.ts";
import { client } from "../../client.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { failureText } from "../../kit/failure-line.tsx";
import { FileName } from "../../kit/file-name.tsx";
import { IndeterminateLine } from "../../kit/load-failure.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { ScrollBox } from "../../kit/scroll-box.tsx";
import { Section } from "../../kit/section.tsx";
import { recordEdit } from "../../state/edit-history.ts";
import { useHost } from "../../state/host-store.ts";
import { notify } from "../../state/notify.ts";
import { endReplay } from "../../state/replay.ts";
import { isReplaying } from "../../state/replay-store.ts";
import { takeBackNow } from "../../state/undo-and-redo.ts";
import { shownValue, useLoaded, useSubmit } from "../../state/use-loaded.ts";
import { actorName, formatOperation } from "./operation-text.ts";
import { useOperationSubjects } from "./use-operation-subjects.ts";

export function RestoreDialog() {
  const to = useRestore((state) => state.to);
  return to === null ? null : <Restoring to={to} />;
}

/** The moment that everything may be taken back to: an operation, or a time (ms since 1970). */
const useRestore = create<{ readonly to: string | number | null }>(() => ({ to: null }));

/** What is done to the repository is done to what it is now: a moment that is shown is left for it. */
export function openRestore(to: string | number): void {
  if (isReplaying()) endReplay();
  useRestore.setState({ to });
}

const closeRestore = (): void => useRestore.setState({ to: null });

const clock = (at: number): string => new Date(at).toLocaleTimeString();

function Restoring({ to }: { readonly to: string | number }) {
  // What anybody does meanwhile makes it another question.
  const newest = useHost((state) => state.operations[0]?.id ?? "");
  const paused = useHost((state) =>
    [state.run, ...state.otherRuns.map(({ run }) => run)].map((run) => run?.paused).join(),
  );
  const loaded = useLoaded(`${to} ${newest} ${paused}`, () => client.operation.previewRestore({ to }));
  const { sending, failure, submit } = useSubmit<"restoring" | "pausing">();
  const preview = shownValue(loaded);
  const refusal = preview?.refusal ?? null;
  const restore = (): Promise<void> =>
    submit("restoring", async () => {
      if (!preview) return;
      const { moment, head } = preview;
      const { operation } = await client.operation.restore({ operation: moment.operation, head });
      closeRestore();
      const done = recordEdit(`restoring everything to ${clock(moment.at)}`, {
        kind: "operation",
        operation,
      });
      notify("info", `Restored everything to ${clock(moment.at)}.`, null, {
        action: { label: "Undo", run: () => takeBackNow(done) },
      });
    });
  const problem = loaded.kind === "failed" ? loaded.failure : failure;
  return (
    <Dialog
      open
      onClose={closeRestore}
      title={preview ? `Restore everything to ${clock(preview.moment.at)}?` : "Restore everything?"}
      {...(preview ? { description: <Moment moment={preview.moment} /> } : {})}
      width="w-[600px]"
      actions={
        <>
          <Button autoFocus onClick={closeRestore}>
            Cancel
          </Button>
          {refusal?.kind === "running" ? (
            <Button
              look="primary"
              disabled={sending !== null}
              onClick={() => void submit("pausing", () => client.run.pauseAll())}
            >
              Pause all runs
            </Button>
          ) : (
            <Button
              look="danger"
              disabled={loaded.kind !== "loaded" || refusal !== null || sending !== null}
              onClick={() => void restore()}
            >
              {sending === "restoring" ? "Waiting for current turns to end…" : "Restore everything"}
            </Button>
          )}
        </>
      }
    >
      <div className="flex min-h-40 flex-col gap-3">
        {!preview && loaded.kind === "loading" && <IndeterminateLine label="Previewing the restore" />}
        {refusal && (
          <p role="alert" className="rounded-md bg-warning-soft px-3 py-2">
            {refusal.kind === "running"
              ? `${refusal.reason} Pause first: Hox does not restore while agents are working.`
              : `${refusal.reason} ${refusal.remedy}`}
          </p>
        )}
        {preview && refusal?.kind !== "nothing" && <Preview preview={preview} />}
        {problem && (
          <p role="alert" className="text-danger">
            {failureText(problem)}
          </p>
        )}
      </div>
    </Dialog>
  );
}

/** So many rows of a kind are drawn. */
const maxShown = 200;

/** An operation of the preview as the list below the graph has it. */
const listed = (
  one: { readonly id: string; readonly time: number; readonly description: string },
  actor: string,
): Operation => ({
  ...one,
  ...{ actor, parents: [], snapshot: false, workspace: null, request: null },
});

/** What restoring everything does, part by part. */
function Moment({ moment }: { readonly moment: RestorePreview["moment"] }) {
  const { operation: id, at: time, actor, description } = moment;
  const operation = useMemo(() => listed({ id, time, description }, actor), [id, time, description, actor]);
  const subjects = useOperationSubjects(useMemo(() => [operation], [operation]));
  return (
    <>
      After {actorName(actor)} {formatOperation(operation, subjects)}, <RelativeTime at={time} /> ago
    </>
  );
}

function FromTerminals({ fromTerminals }: Pick<RestorePreview, "fromTerminals">) {
  const operations = useMemo(() => fromTerminals.map((one) => listed(one, "terminal")), [fromTerminals]);
  const subjects = useOperationSubjects(operations);
  if (operations.length === 0) return null;
  return (
    <Section title="Also undone: operations from terminals">
      <ul aria-label="From terminals">
        {operations.map((operation) => (
          <li key={operation.id} className="flex gap-2" title={shownLine(operation.description)}>
            <span className="min-w-0 flex-1 truncate">{formatOperation(operation, subjects)}</span>
            <RelativeTime at={operation.time} className="text-faint" />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Preview({ preview }: { readonly preview: RestorePreview }) {
  const { operationCount, agents } = preview;
  return (
    <>
      <p className="text-muted">
        {counted(operationCount, "operation")} {operationCount === 1 ? "is" : "are"} undone in one new
        operation, which you can undo with Ctrl+Z. Conversations, costs and votes stay recorded.
      </p>
      <Runs runs={preview.runs} />
      {agents.length > 0 && (
        <Section title="Affected agents">
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {agents.map(({ name, changes }) => (
              <span key={name} className="inline-flex items-center gap-1.5">
                <Avatar name={name} /> {shownName(name)}
                <span className="text-muted">{counted(changes, "change")}</span>
              </span>
            ))}
          </p>
        </Section>
      )}
      <Changes {...preview} />
      <Bookmarks bookmarks={preview.bookmarks} />
      <OwnFiles files={preview.ownFiles} />
      <FromTerminals fromTerminals={preview.fromTerminals} />
    </>
  );
}

const becomes = {
  ends: { text: "ends", tone: "warning" },
  stays: { text: "unchanged", tone: "neutral" },
  over: { text: "is over", tone: "neutral" },
} as const;

function Runs({ runs }: Pick<RestorePreview, "runs">) {
  if (runs.length === 0) return null;
  return (
    <Section title="Runs">
      <ul aria-label="Runs" className="flex flex-col gap-1">
        {runs.map(({ id, root, goal, becomes: how, loses }) => (
          <li key={id}>
            <span className="flex items-center gap-2">
              <span className="font-medium">{root}</span>
              <span className="min-w-0 flex-1 truncate">{shownLine(goal)}</span>
              <Badge tone={becomes[how].tone}>{becomes[how].text}</Badge>
            </span>
            {(how === "ends" || loses.length > 0) && (
              <span className="text-muted">
                {how === "ends" &&
                  "It cannot continue from a moment before its own work. Its record stays readable. "}
                {loses.join(" ")}
              </span>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

const effects: Readonly<Record<RestorePreview["changes"][number]["how"], string>> = {
  goes: "removed",
  "comes back": "restored",
  "other files": "files change",
  "other place": "moved",
  "other words": "description",
};

function Changes({ changes, rebased }: Pick<RestorePreview, "changes" | "rebased">) {
  if (changes.length === 0) return null;
  const rest = changes.length - maxShown + rebased;
  return (
    <Section title={counted(changes.length, "change")}>
      <ScrollBox label="Changes" className="max-h-44 rounded-md border px-2 py-1">
        <ul aria-label="Changes">
          {changes.slice(0, maxShown).map(({ changeId, how, title, agent, files }) => (
            <li key={changeId} className="flex min-h-6 items-center gap-2">
              <span className="w-24 shrink-0 text-muted">{effects[how]}</span>
              <span
                className={
                  how === "goes" ? "min-w-0 flex-1 truncate line-through" : "min-w-0 flex-1 truncate"
                }
              >
                {shownLine(title)}
              </span>
              {files.length > 0 && (
                <span className="shrink-0 text-sm text-muted" title={files.map(shownName).join("\n")}>
                  {counted(files.length, "file")}
                </span>
              )}
              {agent !== null && <Avatar name={agent} />}
            </li>
          ))}
          {rest > 0 && <li className="text-muted">and {rest} more descendants</li>}
        </ul>
      </ScrollBox>
    </Section>
  );
}

function Bookmarks({ bookmarks }: Pick<RestorePreview, "bookmarks">) {
  if (bookmarks.length === 0) return null;
  const agents = bookmarks.flatMap(({ name }) => parseAssignment(name)?.agent ?? []);
  const named = bookmarks.filter(({ name }) => parseAssignment(name) === null);
  return (
    <Section title="Bookmarks">
      <ScrollBox label="Bookmarks" className="max-h-32">
        <ul aria-label="Bookmarks">
          {named.map(({ name, from, to }) => (
            <li key={name} className="flex min-h-6 items-center gap-2">
              <span className="w-36 shrink-0 truncate font-mono text-sm">{shownName(name)}</span>
              <span className="min-w-0 truncate">{from ? shownLine(from.title) : "none"}</span>
              <ArrowRight size={12} className="shrink-0 text-faint" aria-label="to" />
              <span className="min-w-0 truncate">{to ? shownLine(to.title) : "none"}</span>
            </li>
          ))}
          {agents.length > 0 && (
            <li className="text-muted">
              {named.length > 0 && "and "}the assignments of {agents.map(shownName).join(", ")}
            </li>
          )}
        </ul>
      </ScrollBox>
    </Section>
  );
}

function OwnFiles({ files }: { readonly files: RestorePreview["ownFiles"] }) {
  if (files?.length === 0) return null;
  return (
    <Section title="Your folder">
      {files === null ? (
        <p className="text-muted">
          Git manages this folder. Your files, its branches and staged changes are not modified.
        </p>
      ) : (
        <>
          <p className="text-muted">
            {counted(files.length, "file")} in your folder {files.length === 1 ? "is" : "are"} restored. The
            current state is recorded first.
          </p>
          <ScrollBox label="Your files" className="mt-1 max-h-28 font-mono text-sm">
            <ul aria-label="Your files">
              {files.slice(0, maxShown).map((path) => (
                <li key={path}>
                  <FileName path={path} />
                </li>
              ))}
            </ul>
          </ScrollBox>
        </>
      )}
    </Section>
  );
}
