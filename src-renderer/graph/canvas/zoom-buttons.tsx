import { useReactFlow } from "@xyflow/react";
import { Maximize2, Minus, Plus } from "lucide-react";
import { IconButton } from "../../kit/button.tsx";
import { canvasOf, useModel } from "../model/graph-model.ts";

/** For whoever zooms by neither wheel nor fingers; `onZoom` tells that a person has chosen what to look at. */
export function ZoomButtons({ onZoom }: { readonly onZoom: () => void }) {
  const flow = useReactFlow();
  const zoom = (move: () => Promise<boolean> | undefined): void => {
    onZoom();
    void move();
  };
  return (
    <div className="flex rounded-md border bg-raised">
      <IconButton label="Smaller" icon={<Minus size={14} />} onClick={() => zoom(() => flow.zoomOut())} />
      <IconButton label="Larger" icon={<Plus size={14} />} onClick={() => zoom(() => flow.zoomIn())} />
      <IconButton
        label="Show everything"
        icon={<Maximize2 size={13} />}
        onClick={() =>
          zoom(() => {
            const { model } = useModel.getState();
            if (!model) return undefined;
            const { width, height, top } = canvasOf(model);
            return flow.fitBounds({ x: 0, y: top, width, height }, { padding: 0.08 });
          })
        }
      />
    </div>
  );
}
