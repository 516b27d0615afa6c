/** What the window does whatever is open in it: finding what can be done, and going from panel to panel. */

import { currentFinder } from "../kit/find/find-store.ts";
import type { Action } from "../registry/action.ts";
import { goToInbox } from "../state/go-to.ts";
import { hasRepository } from "../state/host-store.ts";
import { openDialog, setView, togglePanel } from "../state/selection-store.ts";
import { focusFilter, focusNextPane } from "./focus.ts";

/** To find what can be done. */
export const helpActions: readonly Action[] = [
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
export const panelActions: readonly Action[] = [
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
