/** Everything the app can do, once: for the palette, the keyboard and its help. */
import type { AppView } from "#shared/contract/views/app.ts";
import { runAgain } from "#shared/domain/run-again.ts";
import { client } from "../client.ts";
import { agentActions } from "../features/agent/agent-palette.ts";
import { useHost } from "../state/host-store.ts";
import { attempt } from "../state/notice-store.ts";
import { openDialog, setView, showInbox, useSelection } from "../state/selection-store.ts";
import type { Action } from "./action.ts";
import { focusFilter, focusNextPane } from "./focus.ts";
import { planActions } from "./plan-palette.ts";

const hasRepository = (): boolean => useHost.getState().repository !== null;
const liveRun = () => {
  const { run } = useHost.getState();
  return run && run.endedAt === null ? run : null;
};

const flip = (panel: "showQueue" | "showRight" | "showTime") => () =>
  useSelection.setState((state) => ({ [panel]: !state[panel] }));

const setTheme = (theme: AppView["settings"]["theme"]) => () =>
  void attempt("The theme was not changed", () => client.settings.change({ theme }));

export function startRehearsal(name?: string): Promise<boolean> {
  const chosen = name ?? useHost.getState().app?.rehearsals[0]?.name;
  return attempt("The rehearsal did not start", async () => {
    if (chosen === undefined) throw new Error("this copy of Hox has no rehearsal");
    await client.rehearsal.start({ name: chosen });
  });
}

export const actions: readonly Action[] = [
  {
    id: "palette",
    title: "Command palette",
    group: "App",
    keys: "mod+k",
    whileTyping: true,
    run: () => openDialog("palette"),
  },
  {
    id: "keyboard",
    title: "Keyboard shortcuts",
    group: "App",
    keys: "?",
    words: "help keys",
    run: () => openDialog("keyboard"),
  },
  {
    id: "settings",
    title: "Settings…",
    group: "App",
    keys: "mod+,",
    words: "preferences key model",
    whileTyping: true,
    run: () => openDialog("settings"),
  },
  {
    id: "theme-system",
    title: "Theme: as the system",
    group: "App",
    words: "dark light colour",
    run: setTheme("system"),
  },
  { id: "theme-light", title: "Theme: light", group: "App", words: "colour bright", run: setTheme("light") },
  { id: "theme-dark", title: "Theme: dark", group: "App", words: "colour night", run: setTheme("dark") },

  {
    id: "filter",
    title: "Filter the graph",
    group: "Go",
    keys: "/",
    words: "revset search",
    available: hasRepository,
    run: focusFilter,
  },
  {
    id: "next-pane",
    title: "Next panel",
    group: "Go",
    keys: "F6",
    whileTyping: true,
    available: hasRepository,
    run: focusNextPane,
  },
  {
    id: "inbox",
    title: "Inbox: decisions that wait",
    group: "Go",
    keys: "alt+i",
    words: "approve questions",
    available: hasRepository,
    run: showInbox,
  },

  {
    id: "log-view",
    title: "Graph as a log",
    group: "View",
    keys: "alt+1",
    words: "rows list",
    available: hasRepository,
    run: () => setView("log"),
  },
  {
    id: "canvas-view",
    title: "Graph as a canvas",
    group: "View",
    keys: "alt+2",
    words: "nodes map",
    available: hasRepository,
    run: () => setView("canvas"),
  },
  {
    id: "queue",
    title: "Show or hide the queue",
    group: "View",
    keys: "mod+b",
    available: hasRepository,
    run: flip("showQueue"),
  },
  {
    id: "inspector",
    title: "Show or hide the inspector",
    group: "View",
    keys: "mod+i",
    words: "right side",
    available: hasRepository,
    run: flip("showRight"),
  },
  {
    id: "time",
    title: "Show or hide the operations",
    group: "View",
    keys: "mod+j",
    words: "time undo history",
    available: hasRepository,
    run: flip("showTime"),
  },

  {
    id: "open",
    title: "Open a repository…",
    group: "Repository",
    keys: "mod+o",
    words: "folder",
    whileTyping: true,
    run: () => openDialog("open-repository"),
  },
  {
    id: "close",
    title: "Close this repository",
    group: "Repository",
    available: hasRepository,
    run: () => void attempt("The repository was not closed", () => client.repository.close()),
  },
  {
    id: "rehearsal",
    title: "Watch the rehearsal",
    group: "Repository",
    words: "demo example tour",
    available: () => (useHost.getState().app?.rehearsals.length ?? 0) > 0,
    run: () => void startRehearsal(),
  },

  {
    id: "start-run",
    title: "Start a run…",
    group: "Run",
    keys: "mod+Enter",
    words: "goal plan agents",
    available: () => hasRepository() && !liveRun() && !useHost.getState().repository?.heldBy,
    run: () => openDialog("start-run"),
  },
  {
    id: "run-again",
    title: "Run again…",
    group: "Run",
    words: "retry goal restart",
    available: () => {
      const { run, repository } = useHost.getState();
      return run !== null && runAgain(run) !== null && !repository?.heldBy;
    },
    run: () => openDialog("run-again"),
  },
  {
    id: "pause",
    title: "Pause the run",
    group: "Run",
    available: () => liveRun()?.paused === "no",
    run: () => void attempt("The run was not paused", () => client.run.pause()),
  },
  {
    id: "resume",
    title: "Resume the run",
    group: "Run",
    available: () => liveRun()?.paused === "paused",
    run: () => void attempt("The run was not resumed", () => client.run.resume()),
  },
  {
    id: "try-provider",
    title: "Try the provider now",
    group: "Run",
    available: () => liveRun()?.providerLimit?.until != null,
    run: () => void attempt("The provider was not tried", () => client.run.resume()),
  },
  {
    id: "stop",
    title: "Stop the run",
    group: "Run",
    available: () => liveRun() !== null,
    run: () => void attempt("The run was not stopped", () => client.run.stop()),
  },
  ...planActions,
  ...agentActions,
];

export const isAvailable = (action: Action): boolean => action.available?.() ?? true;
