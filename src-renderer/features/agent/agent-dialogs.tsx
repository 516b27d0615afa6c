import { type AgentDialog, useAgentDialog } from "./agent-actions.ts";
import { AskDialog } from "./ask-dialog.tsx";
import { LimitsDialog } from "./limits-dialog.tsx";
import { MessageDialog } from "./message-dialog.tsx";
import { ReassignDialog } from "./reassign-dialog.tsx";
import { TakeoverDialog } from "./takeover-dialog.tsx";
import { UndoDialog } from "./undo-dialog.tsx";

const dialogs: Readonly<Record<AgentDialog, (props: { readonly worker: string }) => React.ReactNode>> = {
  message: MessageDialog,
  ask: AskDialog,
  reassign: ReassignDialog,
  takeover: TakeoverDialog,
  limits: LimitsDialog,
  undo: UndoDialog,
};

/** Mounted once, beside the other dialogs. */
export function AgentDialogs() {
  const open = useAgentDialog((state) => state.open);
  if (!open) return null;
  const Shown = dialogs[open.kind];
  return <Shown key={`${open.kind} ${open.worker}`} worker={open.worker} />;
}
