import { useAgentDialog } from "./agent-actions.ts";
import { MessageDialog } from "./message-dialog.tsx";
import { UndoDialog } from "./undo-dialog.tsx";

/** Mounted once, beside the other dialogs. */
export function AgentDialogs() {
  const open = useAgentDialog((state) => state.open);
  if (!open) return null;
  return open.kind === "undo" ? (
    <UndoDialog key={open.worker} worker={open.worker} />
  ) : (
    <MessageDialog key={open.worker} worker={open.worker} />
  );
}
