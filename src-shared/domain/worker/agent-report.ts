/** An agent of another make on this machine, as `hox doctor` and the settings show it. */
export interface AgentReport {
  /** As a choice of agent begins. */
  readonly name: string;
  readonly label: string;
  readonly found: boolean;
  readonly version: string | null;
  /** The program with its arguments; null: not found. */
  readonly command: string | null;
  /** The variable with its provider's key, and whether Hox has that. */
  readonly key: { readonly variable: string; readonly isSet: boolean };
  /** The user is logged in with the program itself, which Hox does not use. */
  readonly hasLogin: boolean;
  /** The model that it has where none is named. */
  readonly model: string | null;
  /** The command that installs it; null: its command is the user's own. */
  readonly install: string | null;
}

interface AgentStatus {
  /** It could work now. */
  readonly isReady: boolean;
  /** What is missing; null: nothing. */
  readonly note: string | null;
  readonly remedy: string | null;
}

/** What an agent of another make lacks to work, and what to do. */
export function agentStatus({ found, key, hasLogin, install, label }: AgentReport): AgentStatus {
  if (!found)
    return {
      isReady: false,
      note: "not installed",
      remedy: install === null ? "Correct its command in .hox/config.toml." : `Install it: ${install}`,
    };
  if (key.isSet) return { isReady: true, note: null, remedy: null };
  return {
    isReady: false,
    note: `${key.variable} is not set${hasLogin ? `; Hox does not use your login in ${label}` : ""}`,
    remedy: `Set ${key.variable} before you start Hox.`,
  };
}
