import { Tooltip as Base } from "@base-ui/react/tooltip";
import type { ReactElement } from "react";
import { Keys } from "./keys.tsx";

interface TooltipProps {
  readonly text: string;
  readonly keys?: string;
  readonly side?: "top" | "bottom" | "left" | "right";
  readonly children: ReactElement<Record<string, unknown>>;
}

export const TooltipProvider = Base.Provider;

export function Tooltip({ text, keys, side = "bottom", children }: TooltipProps) {
  return (
    <Base.Root>
      <Base.Trigger render={children} delay={500} />
      <Base.Portal>
        <Base.Positioner side={side} sideOffset={6} className="z-50">
          <Base.Popup className="appear flex max-w-72 items-center gap-2 rounded-md border bg-raised px-2 py-1 text-sm text-text shadow-pop">
            {text}
            {keys && <Keys keys={keys} />}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
