import { useEffect, useRef } from "react";
import { useModel } from "./model/graph-model.ts";

/** Writes the operation on screen into `data-operation` after it was painted: benchmarks and tests wait for it. */
export function usePaintMarker() {
  const root = useRef<HTMLDivElement>(null);
  const operation = useModel((state) => state.model?.graph.operation ?? null);
  useEffect(() => {
    if (operation === null) return;
    // The task after the next frame: by then that frame has been handed over.
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      if (root.current) root.current.dataset.operation = operation;
      document.documentElement.dataset.ready = "graph";
    };
    const frame = requestAnimationFrame(() => channel.port2.postMessage(null));
    return () => {
      cancelAnimationFrame(frame);
      channel.port1.onmessage = null;
    };
  }, [operation]);
  return root;
}
