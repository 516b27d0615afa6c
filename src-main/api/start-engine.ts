import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { HostEvent } from "#shared/contract/events.ts";
import type { Config } from "../config/config-interface.ts";
import { createEngine } from "../engine/engine.ts";
import type { Engine, EngineOptions } from "../engine/engine-interface.ts";
import { createForges } from "../forge/connect.ts";
import { systemForgeClock } from "../forge/forge-http.ts";
import { sharedHistoryFolder } from "../jj/git/git-view.ts";
import type { Repository } from "../jj/ports/repository-interface.ts";
import type { ModelDriver } from "../model/driver-interface.ts";
import { endpoints } from "../model/endpoints.ts";
import type { Upstream } from "../model/gateway/gateway-interface.ts";
import type { RateLimit } from "../model/rate-limit.ts";
import type { ConnectedMachines } from "../places/host/connected-machines.ts";
import { removeOldLogs } from "../tools/sandbox/old-logs.ts";
import { createSandbox } from "../tools/sandbox/sandbox.ts";
import type { Sandbox } from "../tools/tool-interface.ts";
import type { ApiKey } from "./api-key.ts";
import type { AppSettings } from "./app-settings.ts";
import { noticeOf } from "./refusal.ts";
import type { RehearsalDrivers } from "./rehearsals.ts";
import type { Tools } from "./tools.ts";

/** Limits belong to the organisation, not to a run or a repository: all drivers of this process wait together. */
let scheduler: RateLimit | null = null;

/** What only a run needs is loaded when there is a run, so that a window opens sooner. */
export async function createDriver({
  apiKey,
  baseUrl,
}: {
  readonly apiKey: string;
  readonly baseUrl: string | null;
}): Promise<ModelDriver> {
  const [{ createAnthropicDriver }, { createRateLimit }, { loadPriceTable, modelFacts }] = await Promise.all([
    import("../model/anthropic-driver.ts"),
    import("../model/rate-limit.ts"),
    import("../model/price-table.ts"),
  ]);
  scheduler ??= createRateLimit();
  return createAnthropicDriver({
    apiKey,
    ...(baseUrl === null ? {} : { baseUrl }),
    scheduler,
    models: modelFacts(loadPriceTable()),
  });
}

/** One for each address: limits belong to an account of a provider. */
const schedulers = new Map<string, RateLimit>();

/** Where an agent of another make has its model. */
async function endpointOf(
  { wire, endpoint, apiKeyEnv }: Parameters<NonNullable<EngineOptions["endpointFor"]>>[0],
  key: ApiKey,
): Promise<Upstream> {
  const apiKey = key.of(apiKeyEnv);
  const { createRateLimit } = await import("../model/rate-limit.ts");
  const baseUrl = endpoint ?? (wire === "anthropic" ? key.baseUrl : null) ?? endpoints[wire];
  const known = schedulers.get(baseUrl) ?? createRateLimit();
  schedulers.set(baseUrl, known);
  return { baseUrl, apiKey, scheduler: known };
}

/** The sandbox for the commands of a repository's runs. */
export const runSandbox = (
  { protectedFiles, sandbox: { hosts } }: Pick<Config, "protectedFiles" | "sandbox">,
  {
    root,
    stateFolder,
    allowUnsandboxed,
    secrets = [],
  }: {
    readonly root: string;
    /** Of the repository. */
    readonly stateFolder: string;
    readonly allowUnsandboxed: boolean;
    readonly secrets?: readonly string[];
  },
): Promise<Sandbox> =>
  createSandbox({
    ...{ allowUnsandboxed, protectedFiles, hosts, secrets },
    repository: root,
    readable: [sharedHistoryFolder(stateFolder)],
    logFolder: join(stateFolder, "logs"),
  });

/** What of the host an engine needs. */
export interface EngineSurroundings {
  /** Shared by all repositories of this user. */
  readonly sharedFolder: string;
  readonly settings: AppSettings;
  readonly key: ApiKey;
  readonly tools: Tools;
  readonly rehearsalDrivers: RehearsalDrivers;
  readonly changeSettings: (patch: { readonly allowUnsandboxed: boolean }) => Promise<void>;
  readonly changed: () => void;
  readonly places: ConnectedMachines;
}

/**
 * @param stateFolder of the repository
 * @param publish to the windows that show it
 */
export function startEngine(
  host: EngineSurroundings,
  repository: Repository,
  stateFolder: string,
  publish: (event: HostEvent) => void,
): Promise<Engine> {
  const { settings, key, tools } = host;
  const { root } = repository;
  // Best effort, in the background.
  removeOldLogs(join(stateFolder, "logs"), Date.now()).catch((error: unknown) =>
    publish(noticeOf("Old command logs could not be deleted", error)),
  );
  return createEngine({
    repository,
    stateFolder,
    sharedFolder: host.sharedFolder,
    settings: settings.current,
    driverFor: async ({ rehearsal, apiKeyEnv }) => {
      if (rehearsal !== null) return host.rehearsalDrivers.driver(rehearsal, root);
      key.readFrom(apiKeyEnv);
      host.changed();
      return createDriver({ apiKey: key.get(), baseUrl: key.baseUrl });
    },
    endpointFor: (agent) => endpointOf(agent, key),
    places: host.places,
    forges: createForges({ env: process.env, clock: systemForgeClock }),
    sandbox: async (config) => {
      const { allowUnsandboxed } = settings.current();
      const sandbox = await runSandbox(config, {
        ...{ root, stateFolder, allowUnsandboxed },
        secrets: key.secrets(),
      });
      tools.isolations.tell(root, sandbox.isolation);
      return sandbox;
    },
    inForce: ({ sandbox }) => tools.isolations.followHosts(root, sandbox.hosts),
    secrets: () => key.secrets(),
    allowUnsandboxed: () => host.changeSettings({ allowUnsandboxed: true }),
    now: Date.now,
    newId: randomUUID,
  });
}
