import type { HostEvent } from "#shared/contract/events.ts";
import type { AppView, IsolationView, ToolView } from "#shared/contract/views/app.ts";
import type { SlowCommand } from "#shared/domain/host/machine-state.ts";
import { watchSlowCommands } from "../jj/process/slow-commands.ts";
import { createSandbox } from "../tools/sandbox/sandbox.ts";
import type { AppSettings } from "./app-settings.ts";
import { noticeOf } from "./refusal.ts";

/** How often progress is reported. */
const reportEveryMs = 200;

/**
 * The one download of jj at a time; every window sees its progress.
 *
 * @param install puts a jj of Hox's own where it is found; an abort ends it
 * @param changed called when the view changes
 * @param lookAgain looks for the programs again once there is another jj
 */
export function createJjFetch(
  install: (options: {
    readonly signal: AbortSignal;
    readonly onProgress: (progress: NonNullable<AppView["jjFetch"]>) => void;
  }) => Promise<unknown>,
  changed: () => void,
  lookAgain: () => Promise<unknown>,
) {
  let shown: AppView["jjFetch"] = null;
  let cancel: AbortController | null = null;
  let done: Promise<void> = Promise.resolve();

  const show = (progress: AppView["jjFetch"]): void => {
    shown = progress;
    changed();
  };
  const fetch = async (signal: AbortSignal): Promise<void> => {
    let reportedAt = 0;
    show({ received: 0, total: null });
    try {
      await install({
        signal,
        onProgress: (progress) => {
          if (Date.now() - reportedAt < reportEveryMs) return;
          reportedAt = Date.now();
          show(progress);
        },
      });
    } catch (error) {
      // After a cancel no error needs to be reported.
      if (!signal.aborted) throw error;
    } finally {
      show(null);
    }
    if (!signal.aborted) await lookAgain();
  };

  return {
    view: () => shown,
    /** Joins a download in progress. */
    start(): Promise<void> {
      if (cancel) return done;
      cancel = new AbortController();
      done = fetch(cancel.signal).finally(() => {
        cancel = null;
      });
      return done;
    },
    cancel: () => cancel?.abort(),
    /** Cancels and waits; failures are already reported. */
    async close(): Promise<void> {
      cancel?.abort();
      await done.catch(() => undefined);
    },
  };
}

export type Tools = ReturnType<typeof createTools>;

/** What the machine has for Hox: programs, a sandbox, and a jj where one has to be fetched. */
export function createTools(options: {
  readonly settings: AppSettings;
  readonly changed: () => void;
  readonly publish: (event: HostEvent) => void;
}) {
  const { changed } = options;
  let tools: readonly ToolView[] = [];
  let slowCommands: readonly SlowCommand[] = [];
  const inspect = async (): Promise<readonly ToolView[]> => {
    tools = await (await import("../doctor/doctor.ts")).inspectTools();
    changed();
    return tools;
  };
  const isolations = createIsolations(options);

  const jjFetch = createJjFetch(
    async (asked) => (await import("../doctor/install-jj.ts")).installJj(asked),
    changed,
    inspect,
  );
  const stopWatching = watchSlowCommands((slow) => {
    slowCommands = slow;
    changed();
  });

  return {
    jjFetch,
    /** @param of the root of the repository that is looked at, or null */
    view: (of: string | null) => ({
      tools,
      isolation: isolations.of(of),
      jjFetch: jjFetch.view(),
      slowCommands,
    }),
    /** Looks at the programs again. */
    inspect,
    isolations,
    async close(): Promise<void> {
      stopWatching();
      await jjFetch.close();
    },
  };
}

/** The sandbox as it is in force: of each repository that is open, and (null) of the machine without one. */
function createIsolations({ settings, changed, publish }: Parameters<typeof createTools>[0]) {
  const hosts = new Map<string | null, readonly string[]>([[null, []]]);
  const known = new Map<string | null, IsolationView>();

  const tell = (of: string | null, { kind, summary, description, allowed }: IsolationView): void => {
    const before = known.get(of);
    if (before?.description === description && before.kind === kind) return;
    known.set(of, { kind, summary, description, allowed });
    changed();
  };
  const inspectOne = async (of: string | null): Promise<void> => {
    const asked = hosts.get(of);
    const { allowUnsandboxed } = settings.current();
    const sandbox = await createSandbox({ allowUnsandboxed, hosts: asked ?? [] });
    // It may have been closed, or its hosts be others, meanwhile.
    if (hosts.get(of) === asked) tell(of, sandbox.isolation);
  };
  return {
    of: (root: string | null): IsolationView => known.get(root) ?? known.get(null) ?? notLookedAt,
    /** As it is in force for an open repository. */
    tell,
    /** Looks at the sandbox that the settings leave, and at that of each open repository. */
    async inspect(): Promise<void> {
      for (const of of [...hosts.keys()]) await inspectOne(of);
    },
    /** What commands of an open repository may reach (`[sandbox] hosts`). */
    followHosts(root: string, next: readonly string[]): void {
      if (JSON.stringify(next) === JSON.stringify(hosts.get(root) ?? [])) return;
      hosts.set(root, next);
      inspectOne(root).catch((error: unknown) => publish(noticeOf("Could not check the sandbox", error)));
    },
    /** A repository is open no more. */
    forget(root: string): void {
      hosts.delete(root);
      known.delete(root);
    },
  };
}

const notLookedAt: IsolationView = {
  kind: "none",
  summary: "looking for one",
  description: "Looking for a sandbox…",
  allowed: false,
};
