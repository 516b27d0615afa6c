import type { Settings } from "#shared/contract/settings.ts";
import type { MachineRequests } from "./api/workers.ts";
import type { People } from "./people/people.ts";

/** A safe place for the API key. */
export interface Keychain {
  get(): Promise<string | null>;
  set(key: string): Promise<void>;
  clear(): Promise<void>;
  /** Says when the place is not really safe (Linux without a keyring), with the remedy; null when it is. */
  warning(): string | null;
}

/** One host: all state, all repositories, all engines. Both shells run the same. */
export interface HostOptions {
  readonly shell: "electron" | "browser";
  readonly version: string;
  /** Settings, recent repositories, journals, workspaces. Default: the platform's state folder, or `HOX_STATE`. */
  readonly stateFolder?: string;
  /** The system's own folder dialog, where the shell has one. */
  readonly pickFolder?: () => Promise<string | null>;
  /** Where the API key is kept, where the shell has a safe place. */
  readonly keychain?: Keychain;
  /** Milliseconds per ~20 characters of a scripted model's words; 0 in tests. */
  readonly rehearsalPace?: number;
}

/** Made by `createHost(options)` in `host.ts`; a transport serves its router. */
export interface Host {
  /** The implemented contract (an oRPC router); its type is `HostRouter` in `api/router.ts`. */
  readonly router: unknown;
  /** Shows it in all windows. Active work in other repositories continues. */
  openFolder(path: string): Promise<void>;
  /** The window asks about a folder that could not be opened as it is: whether jj is to be set up in it, or what is wrong with it. */
  askAboutFolder(path: string): void;
  /** Works on the repository that was opened last in place of the host that holds it, if another one does. */
  takeOver(): Promise<void>;
  /** For a server that lets other people in. */
  readonly people: People;
  /** What machines send to such a server. */
  readonly machines: MachineRequests;
  /** How people and machines that are invited from now on reach the host: `https://hox.example.com`, `wss://hox.example.com`. */
  listensForPeople(server: { readonly origin: string; readonly workers: string | null }): void;
  /** The settings that hold now. */
  readonly settings: () => Settings;
  /** What `close` waits for, as one line. */
  endingLine(): string;
  /** Saves and stops everything in order. */
  close(): Promise<void>;
}
