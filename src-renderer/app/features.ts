/** Every feature of the window. A new one is a folder and a line here; its panel, if it has one, finds its place in `shell.tsx`. */
import { agent } from "../features/agent/feature.ts";
import { archangel } from "../features/archangel/feature.ts";
import { attempts } from "../features/attempts/feature.tsx";
import { attention } from "../features/attention/feature.ts";
import { changeValidation } from "../features/change-validation/feature.tsx";
import { conflict } from "../features/conflict/feature.tsx";
import { diff } from "../features/diff/feature.tsx";
import { edits } from "../features/edits/feature.ts";
import { files } from "../features/files/feature.tsx";
import { inbox } from "../features/inbox/feature.ts";
import { inspector } from "../features/inspector/feature.ts";
import { openInPrograms } from "../features/open-in/feature.tsx";
import { patterns } from "../features/patterns/feature.tsx";
import { plan } from "../features/plan/feature.ts";
import { queue } from "../features/queue/feature.ts";
import { reports } from "../features/reports/feature.tsx";
import { repositories } from "../features/repositories/feature.ts";
import { run } from "../features/run/feature.ts";
import { runs } from "../features/runs/feature.tsx";
import { settings } from "../features/settings/feature.ts";
import { time } from "../features/time/feature.tsx";
import { tour } from "../features/tour/feature.ts";
import { welcome } from "../features/welcome/feature.tsx";
import { workers } from "../features/workers/feature.tsx";
import { graph } from "../graph/feature.ts";
import { currentFinder } from "../kit/find/find-matches.ts";
import type { Action } from "../registry/action.ts";
import { dialogWhenOpen } from "../registry/dialog-when-open.tsx";
import type { Feature } from "../registry/feature.ts";
import { goToInbox } from "../state/go-to.ts";
import { hasRepository } from "../state/host-store.ts";
import { openDialog, setView, togglePanel } from "../state/selection-store.ts";
import { focusFilter, focusNextPane } from "./focus.ts";
import { KeyboardHelp } from "./keyboard-help.tsx";
import { Palette } from "./palette.tsx";
import { edgeKeys } from "./panes.tsx";

/** The command palette, help and moving between panels. */
const helpActions: readonly Action[] = [
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
];

const canFind = (): boolean => currentFinder() !== null;

/** In the conversation or the diff that has the focus, or was shown last. */
const findActions: readonly Action[] = [
  {
    id: "find",
    title: "Find in this conversation or diff",
    group: "Go",
    keys: "mod+f",
    words: "search text",
    whileTyping: true,
    available: canFind,
    run: () => currentFinder()?.open(),
  },
  {
    id: "find-next",
    title: "Find the next match",
    group: "Go",
    keys: "F3",
    whileTyping: true,
    available: canFind,
    run: () => currentFinder()?.step(1),
  },
  {
    id: "find-previous",
    title: "Find the previous match",
    group: "Go",
    keys: "shift+F3",
    whileTyping: true,
    available: canFind,
    run: () => currentFinder()?.step(-1),
  },
];

/** To look at another part of the window. */
const panelActions: readonly Action[] = [
  {
    id: "filter",
    title: "Filter the graph",
    group: "Go",
    keys: "/",
    words: "revset search",
    available: hasRepository,
    run: focusFilter,
  },
  ...findActions,
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
    title: "Open the inbox",
    group: "Go",
    keys: "alt+i",
    words: "approve questions",
    available: hasRepository,
    run: goToInbox,
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
    run: () => togglePanel("showQueue"),
  },
  {
    id: "inspector",
    title: "Show or hide the inspector",
    group: "View",
    keys: "mod+i",
    words: "right side",
    available: hasRepository,
    run: () => togglePanel("showRight"),
  },
  {
    id: "time",
    title: "Show or hide the operations",
    group: "View",
    keys: "mod+j",
    words: "time undo history",
    available: hasRepository,
    run: () => togglePanel("showTime"),
  },
];

const help: Feature = {
  actions: helpActions,
  dialogs: [dialogWhenOpen("palette", Palette), dialogWhenOpen("keyboard", KeyboardHelp)],
};
const panels: Feature = { actions: panelActions, keys: [edgeKeys] };

/** In the order in which the palette and the help list what they do. */
export const features: readonly Feature[] = [
  help,
  settings,
  panels,
  graph,
  queue,
  inbox,
  inspector,
  edits,
  welcome,
  repositories,
  run,
  plan,
  attention,
  agent,
  diff,
  files,
  openInPrograms,
  conflict,
  attempts,
  archangel,
  changeValidation,
  runs,
  reports,
  patterns,
  workers,
  time,
  tour,
];
