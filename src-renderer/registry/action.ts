/** One thing that the window can do: a line of the palette, a key, or both. */
export interface Action {
  readonly id: string;
  readonly title: string;
  readonly group: "Selected" | "Go" | "View" | "Repository" | "Run" | "App" | "Agents" | "Runs";
  readonly keys?: string;
  /** The current state of what it leads to. */
  readonly detail?: string;
  /** Other words that people look for. */
  readonly words?: string;
  /** True when the keys work while typing in a field. */
  readonly whileTyping?: boolean;
  readonly available?: () => boolean;
  readonly run: () => void;
}
