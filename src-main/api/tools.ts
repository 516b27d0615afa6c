import type { HostEvent } from "#shared/contract/events.ts";
import type { AppView, IsolationView, ToolView } from "#shared/contract/views/app.ts";
import type { SlowCommand } from "#shared/domain/host/slow-command.ts";
import { watchSlowCommands } from "../jj/slow-commands.ts";
import type { AppSettings } from "./app-settings.ts";
import type { HostParts } from "./host-parts.ts";
import { createJjFetch, type JjFetch } from "./jj-fetch.ts";
import { noticeOf } from "./notice-of.ts";

/** What the machine has for Hox: programs, a sandbox, and a jj where one has to be fetched. */
export interface Tools {
  readonly jjFetch: JjFetch;
  view(): Pick<AppView, "tools" | "isolation" | "jjFetch" | "slowCommands">;
  /** Looks at the programs again. */
  inspect(): Promise<readonly ToolView[]>;
  /** Looks at the sandbox that settings and repository leave. */
  inspectSandbox(): Promise<void>;
  /** What commands of the repository that is open may reach (`[sandbox] hosts`). */
  followHosts(hosts: readonly string[]): void;
  /** As it is in force for the repository that is open. */
  tellIsolation(isolation: IsolationView): void;
  close(): Promise<void>;
}

export function createTools(options: {
  readonly parts: Pick<HostParts, "inspectTools" | "installJj" | "createSandbox">;
  readonly settings: AppSettings;
  readonly changed: () => void;
  readonly publish: (event: HostEvent) => void;
}): Tools {
  const { parts, settings, changed, publish } = options;
  let tools: readonly ToolView[] = [];
  let slowCommands: readonly SlowCommand[] = [];
  let hosts: readonly string[] = [];
  let isolation: IsolationView = {
    kind: "none",
    summary: "looking for one",
    description: "Looking for a sandbox…",
    allowed: false,
  };

  const inspect = async (): Promise<readonly ToolView[]> => {
    tools = await parts.inspectTools();
    changed();
    return tools;
  };
  const tellIsolation = ({ kind, summary, description, allowed }: IsolationView): void => {
    if (isolation.description === description && isolation.kind === kind) return;
    isolation = { kind, summary, description, allowed };
    changed();
  };
  const inspectSandbox = async (): Promise<void> => {
    const of = hosts;
    const { allowUnsandboxed } = settings.current();
    const sandbox = await parts.createSandbox({ allowUnsandboxed, hosts: of });
    // Another repository may have been opened meanwhile.
    if (of === hosts) tellIsolation(sandbox.isolation);
  };

  const jjFetch = createJjFetch(parts.installJj, changed, inspect);
  const stopWatching = watchSlowCommands((slow) => {
    slowCommands = slow;
    changed();
  });

  return {
    jjFetch,
    view: () => ({ tools, isolation, jjFetch: jjFetch.view(), slowCommands }),
    inspect,
    inspectSandbox,
    tellIsolation,
    followHosts(next) {
      if (JSON.stringify(next) === JSON.stringify(hosts)) return;
      hosts = next;
      inspectSandbox().catch((error: unknown) =>
        publish(noticeOf("The sandbox could not be looked at", error)),
      );
    },
    async close() {
      stopWatching();
      await jjFetch.close();
    },
  };
}
