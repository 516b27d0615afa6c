export interface Settings {
  readonly theme: "system" | "light" | "dark";
  readonly model: string;
  readonly maxParallelAgents: number;
  readonly defaultMicroDollars: number | null;
  readonly defaultTokens: number | null;
  /** Said in so many words by the user: commands may run without a sandbox. */
  readonly allowUnsandboxed: boolean;
}
