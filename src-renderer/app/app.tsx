import { AgentDialogs } from "../features/agent/agent-dialogs.tsx";
import { TaskDialog } from "../features/run/task-dialog.tsx";
import { SettingsDialog } from "../features/settings/index.tsx";
import { OpenRepositoryDialog } from "../features/welcome/open-repository-dialog.tsx";
import { Welcome } from "../features/welcome/welcome.tsx";
import { ConfirmDialog } from "../kit/confirm.tsx";
import { TooltipProvider } from "../kit/tooltip.tsx";
import { useHost } from "../state/host-store.ts";
import { useSelection } from "../state/selection-store.ts";
import { ConnectionBar } from "./connection-bar.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";
import { FolderDrop } from "./folder-drop.tsx";
import { KeyboardHelp } from "./keyboard-help.tsx";
import { Notices } from "./notices.tsx";
import { Palette } from "./palette.tsx";
import { Shell } from "./shell.tsx";
import { SlowCommands } from "./slow-commands.tsx";
import { useShortcuts } from "./use-shortcuts.ts";
import { useTheme } from "./use-theme.ts";

export function App() {
  useTheme();
  useShortcuts();
  const known = useHost((state) => state.app !== null);
  const open = useHost((state) => state.repository !== null);
  const dialog = useSelection((state) => state.dialog);
  return (
    <TooltipProvider>
      <ErrorBoundary name="The window">
        {known ? open ? <Shell /> : <Welcome /> : <div className="h-full bg-canvas" aria-busy="true" />}
        {dialog === "palette" && <Palette />}
        {dialog === "keyboard" && <KeyboardHelp />}
        {dialog === "open-repository" && <OpenRepositoryDialog />}
        <SettingsDialog />
        <AgentDialogs />
        <TaskDialog />
        <ConfirmDialog />
      </ErrorBoundary>
      <FolderDrop />
      <ConnectionBar />
      <SlowCommands />
      <Notices />
    </TooltipProvider>
  );
}
