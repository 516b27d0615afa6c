/** Where a decision meets a lane that was built otherwise: before it is in force, while it hurts, and afterwards. */
import { showConflict } from "../../features/conflict/conflict-store.ts";
import { cx } from "../../kit/class-names.ts";
import { goToRow } from "../../state/go-to.ts";
import { ConflictButton } from "./conflict-button.tsx";
import { useChangeOf } from "./use-change-of.ts";

interface DecisionConflictProps {
  readonly waits: boolean;
  /** Who has the lane; null: nobody any more. */
  readonly worker: string | null;
  /** px below the upper end of the bar. */
  readonly top: number;
  /** Whether words have their room on the left of the bar. */
  readonly isLeft: boolean;
}

export function DecisionConflict({ waits, worker, top, isLeft }: DecisionConflictProps) {
  const { view, change } = useChangeOf(worker);
  if (waits) return <Sign label="would conflict here" top={top} />;
  if (view === null || view.conflict !== "mutation") return <Settled top={top} />;
  const changeId = view.changeId;
  const isInConflict = change?.conflict === true;
  return (
    <>
      <Sign label="conflicts here" top={top} />
      <ConflictButton
        label={`correcting: ${view.name} adapts its work to the decision${isInConflict ? ". Show the sides" : ""}`}
        data-decision-conflict={view.name}
        disabled={changeId === null}
        onClick={() => {
          if (changeId === null) return;
          if (isInConflict) showConflict(changeId);
          else goToRow(changeId);
        }}
        className={isLeft ? "right-3" : "left-3"}
        style={{ top: top - 9 }}
      >
        correcting
      </ConflictButton>
    </>
  );
}

const round =
  "absolute -left-[9px] flex size-[18px] items-center justify-center rounded-full bg-surface text-xs leading-none";

const Sign = ({ label, top }: { readonly label: string; readonly top: number }) => (
  <span
    role="img"
    aria-label={label}
    title={label}
    className={cx(round, "border-2 border-danger font-bold text-danger")}
    style={{ top: top - 9 }}
  >
    ✕
  </span>
);

const settledText = "conflicted here and was corrected";
const Settled = ({ top }: { readonly top: number }) => (
  <span
    role="img"
    aria-label={settledText}
    title={settledText}
    className={cx(round, "border border-line-strong text-success")}
    style={{ top: top - 9 }}
  >
    ✓
  </span>
);
