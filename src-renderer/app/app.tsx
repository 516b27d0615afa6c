import { Toast } from "@base-ui/react/toast";
import { CircleAlert, CircleCheck, FolderOpen, Info, TriangleAlert, X } from "lucide-react";
import { useEffect, useState } from "react";
import { defaultWindow } from "#shared/contract/settings.ts";
import { slowCommandLine } from "#shared/domain/host/machine-state.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { usesPort } from "../client.ts";
import { Welcome } from "../features/welcome/welcome.tsx";
import { ConfirmDialog } from "../kit/dialog.tsx";
import { focusWhenLost } from "../kit/focus-soon.ts";
import { isTyping, matches } from "../kit/key-table.ts";
import { useSeconds } from "../kit/relative-time.tsx";
import { followSystemTheme, rememberTheme } from "../kit/theme.ts";
import { TooltipProvider } from "../kit/tooltip.tsx";
import { isAvailable, refusalOfAction, registeredActions, registeredDialogs } from "../registry/registry.ts";
import { type Connection, useConnection } from "../state/connection.ts";
import { frontElement } from "../state/go-to.ts";
import { useHost } from "../state/host-store.ts";
import { type NoticeData, type NoticeLevel, notices, notify } from "../state/notify.ts";
import { usePreference } from "../state/preferences.ts";
import { openDialog, useSelection } from "../state/selection-store.ts";
import { ErrorBoundary } from "./error-boundary.tsx";
import { useFirstFocus, useInputKind } from "./focus.ts";
import { Shell } from "./shell.tsx";

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
      <Notifications />
    </TooltipProvider>
  );
}

const maxShown = 4;

const icons: Readonly<Record<NoticeLevel, React.ReactNode>> = {
  info: <Info size={15} className="text-info" aria-hidden />,
  success: <CircleCheck size={15} className="text-success" aria-hidden />,
  warning: <TriangleAlert size={15} className="text-warning" aria-hidden />,
  error: <CircleAlert size={15} className="text-danger" aria-hidden />,
};

/** Notifications at the lower edge of the graph or page. Their time stops under the pointer and while they have the focus. */
const Notifications = () => (
  <Toast.Provider toastManager={notices} limit={maxShown}>
    <Toast.Viewport
      render={<section />}
      aria-label="Notifications"
      className="notifications fixed z-50 flex flex-col-reverse gap-2 outline-none"
    >
      <List />
    </Toast.Viewport>
  </Toast.Provider>
);

const List = () => {
  const { toasts } = Toast.useToastManager<NoticeData>();
  return toasts.map((toast) => <Notification key={toast.id} toast={toast} />);
};

/** Not a dialog, which asks for something. */
const group = { role: "group", "aria-modal": undefined } as const;

type Shown = ReturnType<typeof Toast.useToastManager<NoticeData>>["toasts"][number];

function Notification({ toast }: { readonly toast: Shown }) {
  const { count = 1, action } = toast.data ?? {};
  return (
    <Toast.Root
      toast={toast}
      {...group}
      // A drag selects text.
      swipeDirection={[]}
      className="appear rounded-lg border bg-raised shadow-pop data-limited:hidden"
    >
      <Toast.Content className="flex items-start gap-2.5 py-2.5 pr-2 pl-3">
        <span className="mt-0.5">{icons[toast.type as NoticeLevel]}</span>
        <div className="min-w-0 flex-1 break-words" data-selectable>
          <p>
            <Toast.Title render={<span />}>{toast.title}</Toast.Title>
            {count > 1 && <span className="text-faint"> ×{count}</span>}
          </p>
          <Toast.Description className="mt-0.5 text-muted">{toast.description}</Toast.Description>
          {action && (
            <Toast.Action
              className="mt-0.5 rounded-sm font-medium text-accent-text hover:underline"
              onClick={() => {
                notices.close(toast.id);
                focusWhenLost(frontElement);
                action.run();
              }}
            >
              {action.label}
            </Toast.Action>
          )}
        </div>
        <Toast.Close
          aria-label="Dismiss"
          aria-hidden={false}
          onClick={() => focusWhenLost(frontElement)}
          className="inline-flex size-6 shrink-0 items-center justify-center rounded-sm text-faint hover:bg-hover hover:text-text"
        >
          <X size={13} aria-hidden />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  );
}

const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;

/**
 * A folder that is dropped on the window is opened. Under Electron the preload script knows its path and asks for it; a
 * browser keeps the path to itself, so there a user is shown the way that works.
 */
function FolderDrop() {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (!carriesFiles(event)) return;
      // Without this a browser would leave the page for what is dropped on it.
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      // From one element to the next it is still over the window.
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      setOver(false);
      if (!carriesFiles(event)) return;
      event.preventDefault();
      if (!usesPort()) explainInBrowser(event.dataTransfer?.files[0]?.name);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);
  if (!isOver) return null;
  return (
    <div className="pointer-events-none fixed inset-0 z-50 flex items-center justify-center border-2 border-accent bg-canvas/85">
      <p className="flex items-center gap-2 text-lg">
        <FolderOpen size={18} aria-hidden />
        Drop a folder to open it
      </p>
    </div>
  );
}

function explainInBrowser(name: string | undefined): void {
  notify(
    "warning",
    `The browser does not reveal the path of ${name ? `“${name}”` : "a dropped folder"}.`,
    "Select it in the list, paste its path there, or start Hox with its path.",
  );
  openDialog("open-repository");
}

/** Failures after which trying again alone is no longer likely to help. */
const patience = 4;

/** One thin line below the header while the host cannot be heard, below what dialogs ask. What is on screen stays. */
function ConnectionBar() {
  const connection = useConnection((state) => state.connection);
  if (connection.kind === "refused") {
    return (
      <div
        role="alert"
        className="fixed inset-0 z-50 flex flex-col items-center justify-center gap-1.5 bg-canvas px-8 text-center"
      >
        <p className="text-lg font-semibold">{connection.text}</p>
        {connection.remedy && <p className="text-muted">{connection.remedy}</p>}
      </div>
    );
  }
  if (connection.kind !== "lost" && connection.kind !== "silent") return null;
  return (
    <div
      role="status"
      className="appear-late fixed top-12 left-1/2 z-50 max-w-[calc(100vw-32px)] -translate-x-1/2 rounded-md bg-warning-soft px-3 py-1 text-sm text-warning shadow-pop"
    >
      {connectionText(connection)}
    </div>
  );
}

const startAgain = "If Hox has stopped, restart it; in a browser, open the address that it prints.";

function connectionText(connection: Extract<Connection, { kind: "lost" | "silent" }>): string {
  if (connection.kind === "silent")
    return "Hox is not responding. This view may be out of date. Reconnecting… If Hox has stopped, restart it.";
  const text = connection.ever
    ? "The connection to Hox was lost. This view may be out of date."
    : "Hox is not responding yet.";
  return `${text} ${connection.failures > patience ? startAgain : "Reconnecting…"}`;
}

/** One line while a command of jj runs for longer than any should: what everything that writes waits for. */
function SlowCommands() {
  const [first, ...more] = useHost((state) => state.app?.slowCommands ?? none);
  const now = useSeconds(first !== undefined);
  if (!first) return null;
  return (
    <div
      role="status"
      title={shownLine(first.folder)}
      className="fixed bottom-9 left-2 z-40 max-w-[calc(100vw-32px)] truncate rounded-md bg-warning-soft px-3 py-1 text-sm text-warning shadow-pop tabular-nums"
    >
      {slowCommandLine(first, now)}
      {more.length > 0 && ` And ${counted(more.length, "more slow command")}.`}
    </div>
  );
}

const none = [] as const;

/** Follows the setting, and the system when the setting says so. */
function useTheme(): void {
  const theme = useHost((state) => state.app?.settings.theme);
  useEffect(() => {
    if (theme === undefined) return;
    rememberTheme(theme);
    return followSystemTheme(theme);
  }, [theme]);
}

/** The size of text and the room between things, for the whole window. */
function useMeasures(): void {
  const fontSize = usePreference("fontSize");
  const density = usePreference("density");
  useEffect(() => {
    const { style, dataset } = document.documentElement;
    style.setProperty("--text-scale", String(fontSize / defaultWindow.fontSize));
    dataset.density = density;
  }, [fontSize, density]);
}

/** The keys that work everywhere. What has the focus goes first and may take a key for itself. */
function useShortcuts(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return;
      const typing = isTyping(event.target);
      const inDialog = useSelection.getState().dialog !== null;
      for (const action of registeredActions()) {
        if (!action.keys || !matches(event, action.keys)) continue;
        if ((typing && !action.whileTyping) || !isAvailable(action)) continue;
        if (inDialog && action.id !== "palette") continue;
        event.preventDefault();
        const refusal = refusalOfAction(action);
        if (refusal === null) action.run();
        else notify("info", refusal);
        return;
      }
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
