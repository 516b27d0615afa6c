import { useReactFlow } from "@xyflow/react";
import { Maximize2, Minus, Plus } from "lucide-react";
import { IconButton } from "../../kit/button.tsx";
import { canvasOf, useModel } from "../model/graph-model.ts";

/** For whoever zooms by neither wheel nor fingers. */
export function ZoomButtons() {
  const flow = useReactFlow();
  return (
    <div className="flex rounded-md border bg-raised">
      <IconButton label="Smaller" icon={<Minus size={14} />} onClick={() => void flow.zoomOut()} />
      <IconButton label="Larger" icon={<Plus size={14} />} onClick={() => void flow.zoomIn()} />
      <IconButton
        label="Show everything"
        icon={<Maximize2 size={13} />}
        onClick={() => {
          const { model } = useModel.getState();
          if (!model) return;
          const { width, height, top } = canvasOf(model);
          void flow.fitBounds({ x: 0, y: top, width, height }, { padding: 0.08 });
        }}
      />
    </div>
  );
}
