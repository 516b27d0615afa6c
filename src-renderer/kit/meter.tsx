import { Meter as Base } from "@base-ui/react/meter";
import { cx } from "./class-names.ts";

const colours = { ok: "bg-accent", warning: "bg-warning", exhausted: "bg-danger" } as const;

interface MeterProps {
  readonly label: string;
  /** 0 to 1; more counts as 1. */
  readonly share: number;
  readonly state: keyof typeof colours;
  /** Width, and a height other than the usual one. */
  readonly className?: string;
}

/** How much of a limit is used. */
export const Meter = ({ label, share, state, className }: MeterProps) => (
  <Base.Root aria-label={label} value={Math.round(Math.min(1, share) * 100)} className={className}>
    <Base.Track className="h-full overflow-hidden rounded-full bg-line-strong">
      <Base.Indicator className={cx("block", colours[state])} />
    </Base.Track>
  </Base.Root>
);
