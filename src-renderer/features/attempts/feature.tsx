import { GitFork } from "lucide-react";
import { useState } from "react";
import type { ForkPreview } from "#shared/contract/commands/worker.ts";
import type { ConversationTurn } from "#shared/domain/attempt/attempt-events.ts";
import { client } from "../../client.ts";
import { Field, TextArea, TextInput } from "../../kit/field.tsx";
import { Keys } from "../../kit/keys.tsx";
import type { MenuEntry } from "../../kit/menu.tsx";
import { Section } from "../../kit/section.tsx";
import { FormDialog } from "../../kit/submit-form.tsx";
import type { Feature } from "../../registry/feature.ts";
import { closeAttemptDialog, compareAttempts, useAttemptDialog } from "../../state/attempts-store.ts";
import { notify } from "../../state/notify.ts";
import { useLoaded, useSubmit } from "../../state/use-loaded.ts";
import { attemptActions, attemptAt, chooseAttempt, undoChoice } from "./attempt-actions.ts";
import { CompareDialog, choiceKeys } from "./compare-dialog.tsx";

/** The submenu of a change that is one of several attempts; nothing for any other change. */
function attemptSubmenu(changeId: string): readonly MenuEntry[] {
  const found = attemptAt(changeId);
  if (!found) return [];
  const { worker, group } = found;
  return [
    {
      label: "Attempts",
      icon: <GitFork size={14} />,
      items: [
        { label: "Compare side by side…", onSelect: () => compareAttempts(worker) },
        {
          label: "Choose this one",
          command: "attempt.choose",
          disabled: group.chosen !== null || found.isOut,
          onSelect: () => void chooseAttempt(worker),
        },
        {
          label: "Undo the choice",
          command: "attempt.undoChoice",
          disabled: !group.canUndo,
          onSelect: () => void undoChoice(worker),
        },
      ],
    },
  ];
}

/** Several attempts at one task, of which the user chooses one. */
export const attempts: Feature = {
  actions: attemptActions,
  keys: [choiceKeys],
  dialogs: [AttemptDialogs],
  changeMenu: { order: 1.5, entriesOf: attemptSubmenu },
};

/** Mounted once, beside the other dialogs. */
function AttemptDialogs() {
  const open = useAttemptDialog((state) => state.open);
  if (!open) return null;
  if (open.kind === "compare") return <CompareDialog key={open.worker} worker={open.worker} />;
  const { worker, iteration, turn } = open.at;
  return <ForkDialog key={`${worker} ${iteration}.${turn}`} at={open.at} />;
}

/** Starts another agent from a turn, with other words, another model, or both. */
function ForkDialog({ at }: { readonly at: ConversationTurn }) {
  const loaded = useLoaded(`${at.worker} ${at.iteration}.${at.turn}`, () => client.attempt.previewFork(at));
  const preview = loaded.kind === "loaded" ? loaded.value : null;
  const [words, setText] = useState("");
  const [model, setModel] = useState<string | null>(null);
  const { sending, failure, submit } = useSubmit<"forking">();
  const usable = preview !== null && sending === null && model?.trim() !== "";
  const fork = (): Promise<void> =>
    submit("forking", async () => {
      const chosen = model?.trim() ?? null;
      const { worker } = await client.attempt.fork({
        ...at,
        words,
        model: chosen === preview?.model ? null : chosen,
      });
      closeAttemptDialog();
      notify(
        "info",
        `${worker} continues from that turn in parallel with ${at.worker}. You choose between them at the end.`,
      );
    });
  return (
    <FormDialog
      onClose={closeAttemptDialog}
      title={preview?.refusal ? "This turn cannot be forked" : "Fork from here"}
      description={`Turn ${at.turn} of iteration ${at.iteration} of ${at.worker}${preview ? `: ${preview.title}` : ""}`}
      width="w-[520px]"
      action={
        <>
          {sending ? "Forking…" : "Fork"} <Keys keys="mod+Enter" />
        </>
      }
      canSubmit={usable}
      onSubmit={fork}
      failure={loaded.kind === "failed" ? loaded.failure : failure}
      refusal={preview?.refusal}
    >
      {!preview && <div className="min-h-56" />}
      {preview && !preview.refusal && (
        <ForkFields
          preview={preview}
          words={words}
          model={model ?? preview.model}
          onTextChange={setText}
          onModel={setModel}
        />
      )}
    </FormDialog>
  );
}

interface ForkFieldsProps {
  readonly preview: ForkPreview;
  readonly words: string;
  readonly model: string;
  readonly onTextChange: (words: string) => void;
  readonly onModel: (model: string) => void;
}

function ForkFields({ preview, words, model, onTextChange, onModel }: ForkFieldsProps) {
  return (
    <>
      <p className="text-muted">
        A new agent starts with the conversation up to this turn and works on the same task in a separate
        change and workspace. {preview.worker} continues. Neither is merged before you choose one.
      </p>
      <Field label="Instructions for the new attempt">
        <TextArea
          autoFocus
          rows={4}
          maxLength={20_000}
          placeholder="Leave empty to retry from this turn"
          value={words}
          onChange={(event) => onTextChange(event.target.value)}
        />
      </Field>
      <Field label="Model" hint="Switching models re-sends the whole conversation uncached.">
        <TextInput value={model} onChange={(event) => onModel(event.target.value)} />
      </Field>
      <Section title="Files">
        <p className="text-sm text-muted">{preview.files}</p>
      </Section>
    </>
  );
}
