import { useState } from "react";
import { AttachmentsField, type useAttachments } from "./attachments-field.tsx";
import {
  EditTemplate,
  FillTemplate,
  type TemplateStep,
  TemplatesMenu,
  useTemplates,
} from "./templates-menu.tsx";

interface GoalToolsProps {
  readonly goal: string;
  readonly onGoal: (goal: string) => void;
  readonly attachments: ReturnType<typeof useAttachments>;
}

/** What helps to say the goal: files that go with it, and texts that are begun from often. */
export function GoalTools({ goal, onGoal, attachments }: GoalToolsProps) {
  const { templates, save, remove } = useTemplates();
  const [step, setStep] = useState<TemplateStep>({ kind: "none" });
  const close = (): void => setStep({ kind: "none" });
  return (
    <>
      <div className="-mt-1 flex flex-wrap items-center gap-1">
        <TemplatesMenu templates={templates} goal={goal} onStep={setStep} onGoal={onGoal} />
        <AttachmentsField {...attachments} />
      </div>
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
