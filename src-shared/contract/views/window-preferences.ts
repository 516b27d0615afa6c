/** How a person has set up the window. The host keeps it: what a browser keeps belongs to the port of one start. */
export interface WindowPreferences {
  readonly view: "log" | "canvas";
  readonly showQueue: boolean;
  readonly showRight: boolean;
  readonly showTime: boolean;
  readonly filterHides: boolean;
  /** Width or height in pixels by name of the panel. */
  readonly panes: Readonly<Record<string, number>>;
  readonly density: "comfortable" | "compact";
  /** Pixels of ordinary text; everything else follows. */
  readonly fontSize: number;
  /** `unasked`: the first time that it would help, a person is asked. */
  readonly notifications: "unasked" | "on" | "off";
  readonly savedFilters: readonly SavedFilter[];
}

export interface SavedFilter {
  readonly name: string;
  readonly text: string;
}

export const fontSizes = { least: 12, most: 18 } as const;

export const defaultWindow: WindowPreferences = {
  view: "log",
  showQueue: true,
  showRight: true,
  showTime: false,
  filterHides: false,
  panes: {},
  density: "comfortable",
  fontSize: 13,
  notifications: "unasked",
  savedFilters: [],
};
