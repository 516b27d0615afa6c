import { FileText } from "lucide-react";
import { useState } from "react";
import type { GoalTemplateView } from "#shared/contract/commands/start.ts";
import { fieldsOf, fillIn, missingFields, templateNameProblem } from "#shared/domain/start/goal-template.ts";
import { client } from "../../../client.ts";
import { Button } from "../../../kit/button.tsx";
import { FailureLine } from "../../../kit/failure-line.tsx";
import { Field, TextArea, TextInput } from "../../../kit/field.tsx";
import { Menu } from "../../../kit/menu.tsx";
import { attempt } from "../../../state/notify.ts";
import { shownValue, useLoaded, useReconnects } from "../../../state/use-loaded.ts";
import { AttachmentsField, type useAttachments } from "./attachments-field.tsx";
import { IssueButton, IssueField, type useIssue } from "./issue-field.tsx";

interface GoalToolsProps {
  readonly goal: string;
  readonly onGoal: (goal: string) => void;
  readonly attachments: ReturnType<typeof useAttachments>;
  readonly issue: ReturnType<typeof useIssue>;
}

/** What helps to say the goal: an issue, files that go with it, and texts that are begun from often. */
export function GoalTools({ goal, onGoal, attachments, issue }: GoalToolsProps) {
  const { templates, failure, save, remove } = useTemplates();
  const [step, setStep] = useState<TemplateStep>({ kind: "none" });
  const close = (): void => setStep({ kind: "none" });
  return (
    <>
      <div className="-mt-1 flex flex-wrap items-center gap-1">
        <TemplatesMenu templates={templates} goal={goal} onStep={setStep} onGoal={onGoal} />
        <IssueButton {...issue} />
        <AttachmentsField {...attachments} />
      </div>
      <IssueField {...issue} />
      {failure && <FailureLine failure={failure} />}
      {step.kind === "fill" && <FillTemplate template={step.template} onGoal={onGoal} onClose={close} />}
      {step.kind === "edit" && (
        <EditTemplate
          template={step.template}
          before={step.before}
          onSave={save}
          onRemove={remove}
          onClose={close}
        />
      )}
    </>
  );
}

const none: readonly GoalTemplateView[] = [];

/** Templates that the repository keeps. */
function useTemplates() {
  const [revision, setRevision] = useState(0);
  const reconnects = useReconnects();
  const loaded = useLoaded(`${reconnects} ${revision}`, () => client.start.templates());
  const change = async (failed: string, task: () => Promise<unknown>): Promise<boolean> => {
    const isDone = await attempt(failed, task);
    setRevision((before) => before + 1);
    return isDone;
  };
  return {
    templates: shownValue(loaded) ?? none,
    failure: loaded.kind === "failed" ? loaded.failure : null,
    save: (template: GoalTemplateView) =>
      change("The template was not saved", () => client.start.saveTemplate(template)),
    remove: (name: string) =>
      change("The template was not removed", () => client.start.removeTemplate({ name })),
  };
}

/** What is done with templates below the goal: nothing, one is filled in, or one is written. */
type TemplateStep =
  | { readonly kind: "none" }
  | { readonly kind: "fill"; readonly template: GoalTemplateView }
  | { readonly kind: "edit"; readonly template: GoalTemplateView; readonly before: string | null };

interface TemplatesMenuProps {
  readonly templates: readonly GoalTemplateView[];
  readonly goal: string;
  readonly onStep: (step: TemplateStep) => void;
  readonly onGoal: (goal: string) => void;
}

/** One that has no field is the goal at once. */
function TemplatesMenu({ templates, goal, onStep, onGoal }: TemplatesMenuProps) {
  const take = (template: GoalTemplateView): void =>
    fieldsOf(template.text).length === 0 ? onGoal(template.text) : onStep({ kind: "fill", template });
  return (
    <Menu
      trigger={
        <Button size="sm" look="ghost">
          <FileText size={12} aria-hidden />
          Templates
        </Button>
      }
      entries={[
        ...templates.map((template) => ({ label: template.name, onSelect: () => take(template) })),
        ...(templates.length === 0 ? [] : ["separator" as const]),
        {
          label: "Save as template…",
          disabled: goal.trim() === "",
          onSelect: () => onStep({ kind: "edit", template: { name: "", text: goal }, before: null }),
        },
        ...(templates.length === 0
          ? []
          : [
              {
                label: "Edit",
                items: templates.map((template) => ({
                  label: template.name,
                  onSelect: () => onStep({ kind: "edit", template, before: template.name }),
                })),
              },
            ]),
      ]}
    />
  );
}

interface FillTemplateProps {
  readonly template: GoalTemplateView;
  readonly onGoal: (goal: string) => void;
  readonly onClose: () => void;
}

/** One input for each field; what it comes to becomes the goal as it is typed. */
function FillTemplate({ template, onGoal, onClose }: FillTemplateProps) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const missing = missingFields(template.text, values);
  return (
    <section aria-label={`Template ${template.name}`} className="flex flex-col gap-2 rounded-md border p-2">
      <div className="grid grid-cols-2 gap-2">
        {fieldsOf(template.text).map(({ name, standard }, at) => (
          <Field key={name} label={name} hint={standard === null ? "Required" : `Empty: ${standard}`}>
            <TextInput
              autoFocus={at === 0}
              value={values[name] ?? ""}
              onChange={(event) => {
                const next = { ...values, [name]: event.target.value };
                setValues(next);
                onGoal(fillIn(template.text, next));
              }}
            />
          </Field>
        ))}
      </div>
      <div className="flex items-center justify-end gap-2">
        <span className="flex-1 text-sm text-faint">
          {missing.length === 0
            ? "All fields are filled in. You can edit the goal above."
            : `Empty fields: ${missing.join(", ")}`}
        </span>
        <Button size="sm" onClick={onClose}>
          Done
        </Button>
      </div>
    </section>
  );
}

interface EditTemplateProps {
  readonly template: GoalTemplateView;
  /** Its name as it is kept; null for a new one. */
  readonly before: string | null;
  readonly onSave: (template: GoalTemplateView) => Promise<boolean>;
  readonly onRemove: (name: string) => Promise<boolean>;
  readonly onClose: () => void;
}

/** A template as the repository keeps it, in `.hox/templates`. */
function EditTemplate({ template, before, onSave, onRemove, onClose }: EditTemplateProps) {
  const [name, setName] = useState(template.name);
  const [text, setText] = useState(template.text);
  const problem = name === "" ? null : templateNameProblem(name);
  const save = async (): Promise<void> => {
    if (!(await onSave({ name: name.trim(), text: text.trim() }))) return;
    if (before === null || before === name.trim() || (await onRemove(before))) onClose();
  };
  return (
    <section aria-label="Template" className="flex flex-col gap-2 rounded-md border p-2">
      <Field label="Name" error={problem} hint="Saved in .hox/templates in the repository">
        <TextInput autoFocus value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label="Text" hint="{{module}} adds a field. {{module|src}} adds a field with a default value.">
        <TextArea rows={4} dir="auto" value={text} onChange={(event) => setText(event.target.value)} />
      </Field>
      <div className="flex justify-end gap-2">
        {before !== null && (
          <Button
            size="sm"
            look="danger"
            onClick={() => void onRemove(before).then((isGone) => isGone && onClose())}
          >
            Remove
          </Button>
        )}
        <Button size="sm" onClick={onClose}>
          Cancel
        </Button>
        <Button
          size="sm"
          look="primary"
          disabled={templateNameProblem(name) !== null || text.trim() === ""}
          onClick={() => void save()}
        >
          Save
        </Button>
      </div>
    </section>
  );
}
