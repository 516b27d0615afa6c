import { Maximize2, Minus, Plus } from "lucide-react";
import { IconButton } from "../../kit/button.tsx";
import type { MapZoom } from "./use-map-zoom.ts";

/** For whoever zooms by neither wheel nor fingers. */
export function ZoomButtons({ zoom }: { readonly zoom: MapZoom }) {
  return (
    <div className="flex rounded-md border bg-raised">
      <IconButton label="Zoom out" keys="-" icon={<Minus size={14} />} onClick={zoom.smaller} />
      <IconButton label="Zoom in" keys="plus" icon={<Plus size={14} />} onClick={zoom.larger} />
      <IconButton
        label="Show everything"
        keys="0"
        icon={<Maximize2 size={13} />}
        onClick={zoom.showEverything}
      />
    </div>
  );
}
