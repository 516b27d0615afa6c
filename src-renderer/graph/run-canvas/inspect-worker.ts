import { useHost } from "../../state/host-store.ts";
import { inspect, keyOfWorker } from "../../state/selection-store.ts";

/** Shows a worker of the run on the right side. The focus stays where it is: arrows go on along the canvas. */
export function inspectWorker(name: string): void {
  const worker = useHost.getState().run?.workers.find((one) => one.name === name);
  inspect(worker?.changeId ?? keyOfWorker(name));
}
