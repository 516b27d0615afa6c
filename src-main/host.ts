import { endingLine } from "#shared/domain/text/format-text.ts";
import { createHostState as createState, type HostState } from "./api/host-state.ts";
import { createEndpointRouter, createRouter } from "./api/router.ts";
import type { Host, HostOptions } from "./host-interface.ts";

/** One host: all state, all repositories, all engines. A transport serves its router. */
export async function createHost(options: HostOptions): Promise<Host> {
  const state = await createHostState(options);
  return {
    router: createRouter(state),
    people: state.people,
    machines: state.workers.requests,
    listensForPeople: (server) => state.listensForPeople(server),
    settings: () => state.app().settings,
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
export const createHostState = (options: HostOptions): Promise<HostState> =>
  createState(
    options,
    async (state, root, stateFolder) => {
      const { openLocalEndpoint } = await import("./transport/local-endpoint.ts");
      return openLocalEndpoint(createEndpointRouter(state, root), root, stateFolder);
    },
    async (parts, port) => {
      const { openWorkerDoor } = await import("./transport/worker-door.ts");
      return openWorkerDoor(parts, port);
    },
  );
