import { Welcome } from "../features/welcome/welcome.tsx";
import { ConfirmDialog } from "../kit/confirm.tsx";
import { TooltipProvider } from "../kit/tooltip.tsx";
import { registeredDialogs } from "../registry/registry.ts";
import { useHost } from "../state/host-store.ts";
import { ConnectionBar } from "./connection-bar.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";
import { useFirstFocus, useInputKind } from "./focus.ts";
import { FolderDrop } from "./folder-drop.tsx";
import { Notices } from "./notices.tsx";
import { Shell } from "./shell.tsx";
import { SlowCommands } from "./slow-commands.tsx";
import { useShortcuts } from "./use-shortcuts.ts";
import { useMeasures, useTheme } from "./use-theme.ts";

export function App() {
  useTheme();
  useMeasures();
  useShortcuts();
  useFirstFocus();
  useInputKind();
  const known = useHost((state) => state.app !== null);
  const path = useHost((state) => state.repository?.path ?? null);
  return (
    <TooltipProvider>
      <ErrorBoundary name="The window">
        {/* What was opened, typed or chosen in one repository is nothing in the next. */}
        {known ? (
          path === null ? (
            <Welcome />
          ) : (
            <Shell key={path} />
          )
        ) : (
          <div className="h-full bg-canvas" aria-busy="true" />
        )}
        {registeredDialogs().map((Dialog, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is made once and never changes
          <Dialog key={index} />
        ))}
        <ConfirmDialog />
      </ErrorBoundary>
      <FolderDrop />
      <ConnectionBar />
      <SlowCommands />
      <Notices />
    </TooltipProvider>
  );
}
