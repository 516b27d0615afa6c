/** The whole repository back to a moment: what that does, before it is done. */
import { ArrowRight } from "lucide-react";
import type { ReactNode } from "react";
import type { RestorePreview } from "#shared/contract/views/restore.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { failureText } from "../../kit/failure-line.tsx";
import { FileName } from "../../kit/file-name.tsx";
import { IndeterminateLine } from "../../kit/progress.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { recordEdit } from "../../state/edit-history.ts";
import { useHost } from "../../state/host-store.ts";
import { notify } from "../../state/notice-store.ts";
import { takeBackNow } from "../../state/undo-and-redo.ts";
import { shownValue, useLoaded } from "../../state/use-loaded.ts";
import { useSubmit } from "../../state/use-submit.ts";
import { actorName, operationWords } from "./operation-words.ts";
import { closeRestore, useRestore } from "./restore-store.ts";

/** So many rows of a kind are drawn. */
const mostShown = 200;

export function RestoreDialog() {
  const to = useRestore((state) => state.to);
  return to === null ? null : <Restoring to={to} />;
}

const clock = (at: number): string => new Date(at).toLocaleTimeString();

function Restoring({ to }: { readonly to: string | number }) {
  // What anybody does meanwhile makes it another question.
  const newest = useHost((state) => state.operations[0]?.id ?? "");
  const paused = useHost((state) =>
    [state.run, ...state.beside.map(({ run }) => run)].map((run) => run?.paused).join(),
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
      const done = recordEdit(`taking everything back to ${clock(moment.at)}`, {
        kind: "operation",
        operation,
      });
      notify("info", `Everything is as it was at ${clock(moment.at)}.`, null, {
        label: "Undo",
        run: () => takeBackNow(done),
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
              Pause every run
            </Button>
          ) : (
            <Button
              look="danger"
              disabled={loaded.kind !== "loaded" || refusal !== null || sending !== null}
              onClick={() => void restore()}
            >
              {sending === "restoring" ? "Waiting for turns to end…" : "Restore everything"}
            </Button>
          )}
        </>
      }
    >
      <div className="flex min-h-40 flex-col gap-3">
        {!preview && loaded.kind === "loading" && <IndeterminateLine label="Trying it out" />}
        {refusal && (
          <p role="alert" className="rounded-md bg-warning-soft px-3 py-2">
            {refusal.kind === "running"
              ? `${refusal.reason} Pause first: nothing is taken back under somebody who works.`
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

function Moment({ moment }: { readonly moment: RestorePreview["moment"] }) {
  const { operation: id, at: time, actor, description } = moment;
  const shown = {
    ...{ id, time, actor, description },
    ...{ parents: [], snapshot: false, workspace: null, request: null },
  };
  return (
    <>
      After {actorName(actor)} {operationWords(shown, {})}, <RelativeTime at={time} /> ago
    </>
  );
}

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;

function Preview({ preview }: { readonly preview: RestorePreview }) {
  const { operationCount, fromTerminals, agents } = preview;
  return (
    <>
      <p className="text-muted">
        {plural(operationCount, "operation")} {operationCount === 1 ? "is" : "are"} taken back, in one
        operation that Ctrl Z takes back as well. What was said, spent and voted stays recorded.
      </p>
      <Runs runs={preview.runs} />
      {agents.length > 0 && (
        <Part title="Whose work is touched">
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {agents.map(({ name, changes }) => (
              <span key={name} className="inline-flex items-center gap-1.5">
                <Avatar name={name} size={16} /> {shownName(name)}
                <span className="text-muted">{plural(changes, "change")}</span>
              </span>
            ))}
          </p>
        </Part>
      )}
      <Changes {...preview} />
      <Bookmarks bookmarks={preview.bookmarks} />
      <OwnFiles files={preview.ownFiles} />
      {fromTerminals.length > 0 && (
        <Part title="From terminals, taken back as well">
          <ul aria-label="From terminals">
            {fromTerminals.map(({ id, time, description }) => (
              <li key={id} className="flex gap-2">
                <span className="min-w-0 flex-1 truncate">{shownLine(description)}</span>
                <RelativeTime at={time} className="text-faint" />
              </li>
            ))}
          </ul>
        </Part>
      )}
    </>
  );
}

const becomes = {
  ends: { text: "ends", tone: "warning" },
  stays: { text: "stays as it is", tone: "neutral" },
  over: { text: "is over", tone: "neutral" },
} as const;

function Runs({ runs }: Pick<RestorePreview, "runs">) {
  if (runs.length === 0) return null;
  return (
    <Part title="Runs">
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
                  "It cannot go on from a moment before what it did; its record stays readable. "}
                {loses.join(" ")}
              </span>
            )}
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Changes({ changes, rebased }: Pick<RestorePreview, "changes" | "rebased">) {
  if (changes.length === 0) return null;
  const rest = changes.length - mostShown + rebased;
  return (
    <Part title={plural(changes.length, "change")}>
      <ul aria-label="Changes" className="max-h-44 overflow-y-auto rounded-md border px-2 py-1">
        {changes.slice(0, mostShown).map(({ changeId, how, title, agent, files }) => (
          <li key={changeId} className="flex min-h-6 items-center gap-2">
            <span className="w-24 shrink-0 text-muted">{how}</span>
            <span
              className={how === "goes" ? "min-w-0 flex-1 truncate line-through" : "min-w-0 flex-1 truncate"}
            >
              {shownLine(title)}
            </span>
            {files.length > 0 && (
              <span className="shrink-0 text-sm text-muted" title={files.map(shownName).join("\n")}>
                {plural(files.length, "file")}
              </span>
            )}
            {agent !== null && <Avatar name={agent} size={16} />}
          </li>
        ))}
        {rest > 0 && <li className="text-muted">and {rest} more that stand on these</li>}
      </ul>
    </Part>
  );
}

function Bookmarks({ bookmarks }: Pick<RestorePreview, "bookmarks">) {
  if (bookmarks.length === 0) return null;
  return (
    <Part title={plural(bookmarks.length, "bookmark")}>
      <ul aria-label="Bookmarks" className="max-h-32 overflow-y-auto">
        {bookmarks.map(({ name, from, to }) => (
          <li key={name} className="flex min-h-6 items-center gap-2">
            <span className="w-36 shrink-0 truncate font-mono text-sm">{shownName(name)}</span>
            <span className="min-w-0 truncate">{from ? shownLine(from.title) : "none"}</span>
            <ArrowRight size={12} className="shrink-0 text-faint" aria-label="to" />
            <span className="min-w-0 truncate">{to ? shownLine(to.title) : "none"}</span>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function OwnFiles({ files }: { readonly files: RestorePreview["ownFiles"] }) {
  if (files?.length === 0) return null;
  return (
    <Part title="Your folder">
      {files === null ? (
        <p className="text-muted">
          Git holds it: your files, its branches and what is staged stay as they are.
        </p>
      ) : (
        <>
          <p className="text-muted">
            {plural(files.length, "file")} of yours become what they were. All is recorded first.
          </p>
          <ul aria-label="Your files" className="mt-1 max-h-28 overflow-y-auto font-mono text-sm">
            {files.slice(0, mostShown).map((path) => (
              <li key={path}>
                <FileName path={path} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Part>
  );
}

const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section>
    <h3 className="mb-1 text-sm font-medium text-muted">{title}</h3>
    {children}
  </section>
);
