import { useState } from "react";
import type { UndoPreview } from "#shared/contract/commands/graph.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { client } from "../../client.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { LinkButton } from "../../kit/button.tsx";
import { RadioGroup } from "../../kit/field.tsx";
import { FileName, withShortIds } from "../../kit/file-name.tsx";
import { IndeterminateLine } from "../../kit/load-failure.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { Section } from "../../kit/section.tsx";
import { FormDialog } from "../../kit/submit-form.tsx";
import { recordWrite } from "../../state/edit-history.ts";
import { goToRow } from "../../state/go-to.ts";
import { useHost } from "../../state/host-store.ts";
import { useLoaded, useSubmit } from "../../state/use-loaded.ts";
import { closeAgentDialog } from "./agent-actions.ts";

type Afterwards = "restart" | "wait";
const filesShown = 200;

/** What would be undone and what stays, before anything is. */
export function UndoDialog({ worker }: { readonly worker: string }) {
  const loaded = useLoaded(worker, () => client.run.previewUndo({ worker }));
  const goesOn = useHost((state) => state.run !== null && state.run.endedAt === null);
  const [afterwards, setAfterwards] = useState<Afterwards>("restart");
  const { sending, failure, submit } = useSubmit<"undoing">();
  const preview = loaded.kind === "loaded" ? loaded.value : null;
  const undo = (): Promise<void> =>
    submit("undoing", async () => {
      await recordWrite(`undoing the work of ${worker}`, client.run.undoWorker({ worker, afterwards }));
      closeAgentDialog();
    });
  return (
    <FormDialog
      onClose={closeAgentDialog}
      title={preview?.refusal ? `The work of ${worker} cannot be undone` : `Undo the work of ${worker}?`}
      {...(preview ? { description: preview.title } : {})}
      width="w-[520px]"
      look="danger"
      action={sending ? "Undoing after the current step…" : "Undo its work"}
      canSubmit={preview !== null && sending === null}
      onSubmit={undo}
      failure={loaded.kind === "failed" ? loaded.failure : failure}
      refusal={preview?.refusal}
    >
      {!preview && (
        <div className="min-h-40">
          {loaded.kind === "loading" && <IndeterminateLine label="Checking what will be undone" />}
        </div>
      )}
      {preview && <Preview preview={preview} />}
      {preview && !preview.refusal && goesOn && (
        <RadioGroup
          label="Afterwards"
          value={afterwards}
          options={[
            { value: "restart", label: "Restart its task" },
            { value: "wait", label: "Pause until I resume it" },
          ]}
          onChange={setAfterwards}
        />
      )}
    </FormDialog>
  );
}

function Preview({ preview }: { readonly preview: UndoPreview }) {
  if (preview.refusal)
    return (
      <Section title="Changes that build on it">
        <ul>
          {preview.affected.map((one) => (
            <li key={one.changeId}>
              <LinkButton
                dir="auto"
                onClick={() => {
                  closeAgentDialog();
                  goToRow(one.changeId);
                }}
              >
                {one.title}
              </LinkButton>{" "}
              <code className="font-mono text-xs text-faint">{one.changeId.slice(0, 8)}</code>
            </li>
          ))}
        </ul>
      </Section>
    );
  return (
    <>
      <FilesTakenBack preview={preview} />
      {preview.moved.length > 0 && (
        <Section title="Rebased without it">
          <p className="text-muted">
            {preview.moved.map((one) => `“${one.title}”`).join(", ")}{" "}
            {preview.moved.length === 1 ? "includes" : "include"} this work.{" "}
            {preview.moved.length === 1 ? "It is" : "They are"} rebased onto its parent and{" "}
            {preview.moved.length === 1 ? "keeps" : "keep"} all other work.
          </p>
        </Section>
      )}
      <Section title="Unchanged">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {preview.untouched.map((name) => (
            <span key={name} className="inline-flex items-center gap-1.5">
              <Avatar name={name} /> {name}
            </span>
          ))}
        </p>
        <p className="mt-1 text-muted">
          The work of all other agents, all messages and decisions. No other change is rewritten.
        </p>
      </Section>
      <OwnOperations preview={preview} />
    </>
  );
}

function FilesTakenBack({ preview: { files, backTo } }: { readonly preview: UndoPreview }) {
  return (
    <Section
      title={files.length === 0 ? "No files changed yet" : `${counted(files.length, "file")} restored`}
    >
      {files.length > 0 && (
        <ul
          aria-label="Files"
          className="max-h-36 overflow-y-auto rounded-md border px-2 py-1 font-mono text-sm"
        >
          {files.slice(0, filesShown).map((file) => (
            <li key={file.path} className="flex gap-2">
              <span className="w-16 shrink-0 text-faint">{file.kind}</span>
              <FileName path={file.path} />
            </li>
          ))}
          {files.length > filesShown && <li className="text-faint">and {files.length - filesShown} more</li>}
        </ul>
      )}
      <p className="mt-1 text-muted">
        Its change is reset to the content of {backTo.map((one) => `“${one.title}”`).join(", ")}.
      </p>
    </Section>
  );
}

function OwnOperations({ preview }: { readonly preview: UndoPreview }) {
  const { operations, operationCount: count } = preview;
  return (
    <details className="text-muted">
      <summary className="cursor-default">
        {counted(count, "operation")} of this agent in this run. Undoing adds one operation, which can be
        undone too.
      </summary>
      <ol className="mt-1 max-h-32 overflow-y-auto text-sm">
        {operations.map((one) => (
          <li key={one.id} className="flex gap-2">
            <code className="font-mono text-xs text-faint">{one.id.slice(0, 8)}</code>
            <span className="min-w-0 flex-1 truncate">{withShortIds(one.description)}</span>
            <RelativeTime at={one.time} className="text-faint" />
          </li>
        ))}
      </ol>
    </details>
  );
}
