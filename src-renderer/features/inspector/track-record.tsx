import { Gauge } from "lucide-react";
import { type PanelTrust, trustLine } from "#shared/domain/validation/panel-trust.ts";

/** How earlier verdicts of a panel turned out, for a decision based on this one. */
export const TrackRecord = ({ trust }: { readonly trust: PanelTrust | null }) =>
  trust === null ? null : (
    <p className="flex min-w-0 gap-1.5 text-xs text-pretty text-muted">
      <Gauge size={14} className="shrink-0" aria-hidden />
      {trustLine(trust)}
    </p>
  );
