import { Gauge } from "lucide-react";
import { hasEnoughVerdicts, type PanelTrust, trustLine } from "#shared/domain/validation/panel-trust.ts";
import { cx } from "../../kit/class-names.ts";

/** What happened to other verdicts of a panel, for whoever decides by this one. */
export function TrackRecord({ trust }: { readonly trust: PanelTrust | null }) {
  if (trust === null) return null;
  const isKnown = hasEnoughVerdicts(trust);
  return (
    <p
      className={cx("flex min-w-0 gap-1.5 text-xs text-pretty", isKnown ? "text-muted" : "text-warning")}
      data-track-record={isKnown ? "known" : "short"}
    >
      <Gauge size={14} className="shrink-0" aria-hidden />
      {trustLine(trust)}
    </p>
  );
}
