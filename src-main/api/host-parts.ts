import type { FolderView } from "#shared/contract/commands/app.ts";
import type { AppView, RehearsalView, ToolView } from "#shared/contract/views/app.ts";
import type { Tempo } from "#shared/domain/rehearsal/tempo.ts";
import type { Engine, EngineOptions } from "../engine/engine-interface.ts";
import type { Repository } from "../jj/repository-interface.ts";
import type { ModelDriver } from "../model/driver-interface.ts";
import type { SandboxOptions } from "../tools/sandbox/sandbox.ts";
import type { Sandbox } from "../tools/tool-interface.ts";

/** What a host is put together from (`host.ts` names the real ones). */
export interface HostParts<Host = unknown> {
  inspectFolder(path: string): Promise<FolderView>;
  openRepository(root: string): Promise<Repository>;
  /**
   * Turns a Git repository or a plain folder into a jj repository. Both return notes for the user about side
   * effects.
   */
  initInGitRepository(root: string): Promise<readonly string[]>;
  initPlain(root: string): Promise<readonly string[]>;
  createEngine(options: EngineOptions): Promise<Engine>;
  inspectTools(): Promise<readonly ToolView[]>;
  /** Puts a jj of Hox's own where it is found; an abort ends it. */
  installJj(options: {
    readonly signal: AbortSignal;
    readonly onProgress: (progress: NonNullable<AppView["jjFetch"]>) => void;
  }): Promise<unknown>;
  createSandbox(options: SandboxOptions): Promise<Sandbox>;
  createDriver(options: { apiKey: string; baseUrl: string | null }): Promise<ModelDriver>;
  /** Lets terminals control the runs of one open repository. Omitted: no access. */
  openEndpoint?(host: Host, root: string, stateFolder: string): Promise<{ close(): Promise<void> }>;
  /** The user's programs. */
  readonly desktop: DesktopPrograms;
  readonly rehearsals: RehearsalParts;
}

interface DesktopPrograms {
  /** Whether the program of a command is on this machine. */
  has(program: string): boolean;
  /** Answers with what was wrong where it ended at once or could not be started; null: it is open. */
  start(words: readonly string[], folder: string): Promise<string | null>;
}

/** A driver on a scripted model. */
interface RehearsalDriver {
  readonly driver: ModelDriver;
  /** How fast it speaks from now on. */
  setTempo(tempo: Tempo): void;
  close(): Promise<void>;
}

export interface RehearsalParts {
  list(): readonly RehearsalView[];
  /** What the run is started with. */
  goal(name: string): string;
  /** How many its script plans with, the root included. */
  orchestrators(name: string): number;
  /** Writes the example repository into a folder that does not exist yet. @param signal ends it half-way */
  copyExample(name: string, folder: string, signal?: AbortSignal): Promise<void>;
  /** A driver on a scripted model, which is started with it. */
  createDriver(name: string, options: { pace: number }): Promise<RehearsalDriver>;
}
