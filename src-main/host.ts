import { endingLine } from "#shared/domain/text/cut-text.ts";
import { bundledRehearsals } from "./api/bundled-rehearsals.ts";
import { folderView } from "./api/folder-view.ts";
import type { HostParts } from "./api/host-parts.ts";
import { createHostState as createState, type HostState } from "./api/host-state.ts";
import { createEndpointRouter, createRouter } from "./api/router.ts";
import { createEngine } from "./engine/engine.ts";
import type { Host, HostOptions } from "./host-interface.ts";
import { initInGitRepository, initPlain } from "./jj/init.ts";
import { openRepository } from "./jj/open.ts";
import type { RateLimit } from "./model/rate-limit.ts";
import { hasDesktopProgram, startDesktopProgram } from "./processes/desktop-program.ts";
import { createSandbox } from "./tools/sandbox/sandbox.ts";

/** Limits belong to the organisation, not to a run or a repository: all drivers of this process wait together. */
let scheduler: RateLimit | null = null;

/** The real ones. What only a run needs is loaded when there is a run, so that a window opens sooner. */
const realParts: HostParts<HostState> = {
  inspectFolder: folderView,
  openRepository,
  initInGitRepository,
  initPlain,
  createEngine,
  createSandbox,
  async inspectTools() {
    const { inspectTools } = await import("./doctor/doctor.ts");
    return inspectTools();
  },
  async installJj(options) {
    const { installJj } = await import("./doctor/install-jj.ts");
    return installJj(options);
  },
  async createDriver({ apiKey, baseUrl }) {
    const [{ createAnthropicDriver }, { createRateLimit }, { loadPriceTable, modelFacts }] =
      await Promise.all([
        import("./model/anthropic-driver.ts"),
        import("./model/rate-limit.ts"),
        import("./model/price-table.ts"),
      ]);
    scheduler ??= createRateLimit();
    return createAnthropicDriver({
      apiKey,
      ...(baseUrl === null ? {} : { baseUrl }),
      scheduler,
      models: modelFacts(loadPriceTable()),
    });
  },
  async openEndpoint(state, root, stateFolder) {
    const { openLocalEndpoint } = await import("./transport/local-endpoint.ts");
    return openLocalEndpoint(createEndpointRouter(state, root), root, stateFolder);
  },
  desktop: { has: hasDesktopProgram, start: startDesktopProgram },
  rehearsals: bundledRehearsals,
};

/** One host: all state, all repositories, all engines. A transport serves its router. */
export async function createHost(options: HostOptions): Promise<Host> {
  const state = await createHostState(options);
  return {
    router: createRouter(state),
    async openFolder(path) {
      await state.open(path);
    },
    askAboutFolder: (path) => state.askAboutFolder(path),
    takeOver: () => state.takeOver(),
    endingLine: () => endingLine(state.ending()),
    close: () => state.close(),
  };
}

/** The same host without a router, for a command that is its own client. */
export const createHostState = (options: HostOptions): Promise<HostState> => createState(options, realParts);
