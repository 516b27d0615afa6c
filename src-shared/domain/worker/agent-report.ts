import { notMetered } from "../spending/unmetered.ts";

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
  /** The user's own login in its provider's program; null: Hox does not offer that for it. */
  readonly login: AgentLogin | null;
  /** The model that it has where none is named. */
  readonly model: string | null;
  /** The command that installs it; null: its command is the user's own. */
  readonly install: string | null;
}

/** A login as Hox finds it, of which nothing is read. */
export interface AgentLogin {
  /** The user lets the agent use it. */
  readonly isOn: boolean;
  readonly isFound: boolean;
  /** The user's own program, which is logged in, and whether it is installed. */
  readonly program: string;
  readonly hasProgram: boolean;
  /** The repository starts the agent in another way, or leads it elsewhere. */
  readonly isCustomized: boolean;
}

/** What a user agrees to who lets an agent use their login, by the name of its program. */
export const loginExplanation = (program: string): string =>
  `Hox starts your own ${program} with your login. Its work is ${notMetered}: it has no dollars, so budgets in dollars don’t stop it. ` +
  "The agent and its commands can read your login in their sandbox and reach its provider with it, and nothing else. Check that your plan’s terms allow this.";

interface AgentStatus {
  /** It could work now. */
  readonly isReady: boolean;
  /** What is missing; null: nothing. */
  readonly note: string | null;
  readonly remedy: string | null;
}

/** What an agent of another make lacks to work, and what to do. */
export function agentStatus({ found, key, login, install, label }: AgentReport): AgentStatus {
  if (!found)
    return {
      isReady: false,
      note: "not installed",
      remedy: install === null ? "Correct its command in .hox/config.toml." : `Install it: ${install}`,
    };
  if (login?.isOn) return loginStatus(login);
  if (key.isSet) return { isReady: true, note: null, remedy: null };
  return {
    isReady: false,
    note: `${key.variable} is not set`,
    remedy: `Set ${key.variable} before you start Hox${login?.isFound ? `, or let ${label} use your login` : ""}.`,
  };
}

/** What a login that an agent may use lacks. */
export function loginStatus({ program, hasProgram, isFound, isCustomized }: AgentLogin): AgentStatus {
  const lacks = (note: string, remedy: string): AgentStatus => ({ isReady: false, note, remedy });
  if (isCustomized)
    return lacks(
      "its [[agent]] table changes how it starts or where it sends requests, so it gets no login",
      "Remove command, environment, wire, endpoint and api_key_env from the table in .hox/config.toml.",
    );
  if (!hasProgram)
    return lacks(`your own ${program} is not installed`, `Install ${program} and log in with it.`);
  if (!isFound) return lacks("login not found", `Start ${program} in a terminal and log in.`);
  return { isReady: true, note: `uses your login: ${notMetered}`, remedy: null };
}
