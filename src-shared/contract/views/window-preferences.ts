/** The user's window settings. Stored by the host, because a browser's storage belongs to one port. */
export interface WindowPreferences {
  /** How the graph is shown: without a run, and while one is on screen. */
  readonly view: "log" | "canvas";
  readonly runView: "log" | "canvas";
  readonly showQueue: boolean;
  readonly showRight: boolean;
  readonly showTime: boolean;
  readonly filterHides: boolean;
  /** Width or height in pixels by name of the panel. */
  readonly panes: Readonly<Record<string, number>>;
  readonly density: "comfortable" | "compact";
  /** Pixels of ordinary text; everything else follows. */
  readonly fontSize: number;
  /** `unasked`: the user is asked the first time that it would help. */
  readonly notifications: "unasked" | "on" | "off";
  /** Whether what happens in a run shows itself for a while at the lower edge. */
  readonly showEvents: boolean;
  /** The tour of rehearsals: as it is, in one line, or left. */
  readonly tour: "open" | "small" | "left";
  readonly savedFilters: readonly SavedFilter[];
  /** Files that the user has viewed, by change; the last viewed change comes last. */
  readonly viewedFiles: readonly ViewedFiles[];
}

export interface ViewedFiles {
  readonly changeId: string;
  /** Path → identification of the viewed version. */
  readonly files: Readonly<Record<string, string>>;
}

/** Maximum of changes whose viewed files are stored. */
export const maxViewedChanges = 40;

export interface SavedFilter {
  readonly name: string;
  readonly text: string;
}

export const fontSizes = { least: 12, most: 20 } as const;

export const defaultWindow: WindowPreferences = {
  view: "log",
  runView: "canvas",
  showQueue: true,
  showRight: true,
  showTime: false,
  filterHides: false,
  panes: {},
  density: "comfortable",
  fontSize: 13,
  notifications: "unasked",
  showEvents: true,
  tour: "open",
  savedFilters: [],
  viewedFiles: [],
};
