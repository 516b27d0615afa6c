/** What the user looks at: shared by both views of the graph and by every panel. */
import { create } from "zustand";

export type GraphView = "log" | "canvas";
export type RightTab = "inspector" | "inbox";
export type OpenDialog =
  | "palette"
  | "keyboard"
  | "settings"
  | "start-run"
  | "run-again"
  | "open-repository"
  | "recorded-runs"
  | null;

/** A row of the graph by a name that survives rewriting: its change id, or its commit id when divergent. */
export type RowKey = string;

interface SelectionState {
  readonly selected: RowKey | null;
  /** How the graph is shown without a run, and how while one is on screen. */
  readonly view: GraphView;
  readonly runView: GraphView;
  /** The run on screen: an active one, one that ended while the window showed it, or a recorded one. */
  readonly shownRun: string | null;
  readonly rightTab: RightTab;
  /** Whether a user has chosen to read something else there than the inbox: then no event puts that in its place. */
  readonly isRightChosen: boolean;
  /** The card that was asked for last. */
  readonly requestedCard: string | null;
  readonly showQueue: boolean;
  readonly showRight: boolean;
  /** Whether the window is too narrow for a right side beside the graph: there it is a drawer, closed until it is asked for. */
  readonly isNarrow: boolean;
  readonly isDrawerOpen: boolean;
  readonly showTime: boolean;
  readonly dialog: OpenDialog;
  /** Id of the page that covers the graph; null: the graph is visible. */
  readonly page: string | null;
  /** The row that waits for a target of "Rebase onto…". */
  readonly rebasing: RowKey | null;
  /** Text of the filter box, and whether other rows are hidden or only dimmed. */
  readonly filterText: string;
  readonly filterHides: boolean;
}

export const useSelection = create<SelectionState>(() => ({
  selected: null,
  view: "log",
  runView: "canvas",
  shownRun: null,
  rightTab: "inspector",
  isRightChosen: false,
  requestedCard: null,
  showQueue: true,
  showRight: true,
  isNarrow: false,
  isDrawerOpen: false,
  showTime: false,
  dialog: null,
  page: null,
  rebasing: null,
  filterText: "",
  filterHides: false,
}));

const rightSide = { showRight: true, isDrawerOpen: true, page: null } as const;
const readsInspector = { rightTab: "inspector", isRightChosen: true } as const;
const readsInbox = { rightTab: "inbox", isRightChosen: false } as const;

export const select = (row: RowKey | null): void =>
  useSelection.setState(row === null ? { selected: null, isRightChosen: false } : { selected: row });

/** Selects a row and shows it in the inspector. */
export const inspect = (row: RowKey): void =>
  useSelection.setState({ selected: row, ...readsInspector, ...rightSide });

/** Selects a row; the right side, where it is open, shows it. */
export const lookAt = (row: RowKey): void => useSelection.setState({ selected: row, ...readsInspector });

/** Shows the run as a whole in the inspector. */
export const inspectRun = (): void =>
  useSelection.setState({ selected: null, ...readsInspector, ...rightSide });

/** One of the two sides, by its tab. */
export const chooseTab = (tab: RightTab): void =>
  useSelection.setState(tab === "inspector" ? readsInspector : readsInbox);

export const showInbox = (): void => useSelection.setState({ ...readsInbox, ...rightSide });

/** What was chosen in one repository names nothing in another. */
export const forgetChoices = (): void =>
  useSelection.setState({
    ...{ selected: null, rebasing: null, filterText: "", page: null },
    isRightChosen: false,
  });

/** Shows one card of the inbox. */
export const showCard = (requestedCard: string): void =>
  useSelection.setState({ requestedCard, ...readsInbox, ...rightSide });

/** Puts a page in the place of the graph, or the graph back in its own. */
export const showPage = (page: string | null): void => useSelection.setState({ page });

export const openDialog = (dialog: Exclude<OpenDialog, null>): void => useSelection.setState({ dialog });
export const closeDialog = (): void => useSelection.setState({ dialog: null });

/** For work that ends later: another dialog may be open by then, and stays. */
export function closeDialogOf(...names: readonly Exclude<OpenDialog, null>[]): void {
  const { dialog } = useSelection.getState();
  if (dialog !== null && names.includes(dialog)) closeDialog();
}

export const setFilterText = (filterText: string): void => useSelection.setState({ filterText });

/** Whether the inspector or the inbox is on screen. */
export const isRightShown = ({
  isNarrow,
  isDrawerOpen,
  showRight,
}: Pick<SelectionState, "isNarrow" | "isDrawerOpen" | "showRight">): boolean =>
  isNarrow ? isDrawerOpen : showRight;

/** Shows a panel, or hides it when it is shown. */
export const togglePanel = (panel: "showQueue" | "showRight" | "showTime"): void =>
  useSelection.setState((state) =>
    panel === "showRight" && state.isNarrow
      ? { isDrawerOpen: !state.isDrawerOpen }
      : { [panel]: !state[panel] },
  );

/** A window that became narrow closes panels that the user did not open since. */
export const setNarrow = (isNarrow: boolean): void =>
  useSelection.setState({ isNarrow, isDrawerOpen: false });

const viewOf = ({ shownRun, view, runView }: SelectionState): GraphView =>
  shownRun === null ? view : runView;

/** How the graph is shown now. */
export const useGraphView = (): GraphView => useSelection(viewOf);

/** What a user chooses counts for every run, or for every graph without one. */
export const setView = (view: GraphView): void =>
  useSelection.setState(({ shownRun }) =>
    shownRun === null ? { view, page: null } : { runView: view, page: null },
  );

const prefix = "worker:";

/**
 * Workers without a change of their own as things that can be selected, beside the rows of the graph.
 *
 * The key by which a worker is selected.
 */
export const keyOfWorker = (name: string): RowKey => `${prefix}${name}`;

/** The worker that a key names; null for anything else. */
export const workerOfKey = (key: RowKey | null): string | null =>
  key?.startsWith(prefix) ? key.slice(prefix.length) : null;
