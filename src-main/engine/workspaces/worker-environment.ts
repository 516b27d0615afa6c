import type { RunReader } from "../ports.ts";

/** Who it is, and the ports of its workspace, so that two agents may start the same server at once. */
export function environmentOf(run: RunReader, worker: string): Readonly<Record<string, string>> {
  const { ports } = run.worker(worker).record;
  return {
    HOX_WORKER: worker,
    ...(ports
      ? {
          HOX_PORT_BASE: String(ports.base),
          HOX_PORT_COUNT: String(ports.count),
          // The default variable of many servers.
          PORT: String(ports.base),
        }
      : {}),
  };
}
