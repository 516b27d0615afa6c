// biome-ignore-all lint/a11y/useFocusableInteractive: the list has the focus and names its active option
import type { KeyboardEvent, RefObject } from "react";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { partsOf } from "#shared/graph/plan-canvas/plan-canvas.ts";
import { contractsPart, integrationPart, type PlanPart, taskOfPart } from "#shared/graph/plan-layout.ts";
import { keyOfPart } from "../../features/plan/plan-actions.ts";
import { useSelection } from "../../state/selection-store.ts";
import type { ShownPlan } from "./use-plan-canvas.ts";

const optionId = (part: PlanPart): string => `planned-${part}`;

interface PlanCanvasListProps {
  readonly shown: ShownPlan;
  readonly list: RefObject<HTMLDivElement | null>;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** The plan for those who hear it. It has the focus of the canvas and its keys. */
export function PlanCanvasList({ shown, list, onKeyDown }: PlanCanvasListProps) {
  const selected = useSelection((state) => state.selected);
  const parts = shown.canvas && shown.draft ? partsOf(shown.canvas) : [];
  const active = parts.find((part) => keyOfPart(part) === selected);
  return (
    <div
      ref={list}
      role="listbox"
      aria-label="Graph"
      aria-activedescendant={active === undefined ? undefined : optionId(active)}
      tabIndex={0}
      className="pointer-events-none absolute inset-0 z-20 outline-none focus-visible:shadow-[inset_0_0_0_2px_var(--accent)]"
      onKeyDown={onKeyDown}
    >
      <div className="sr-only">
        {parts.map((part) => (
          <div key={part} role="option" id={optionId(part)} aria-selected={part === active}>
            {partLabel(shown, part)}
          </div>
        ))}
        {parts.length === 0 && (
          <div role="option" aria-selected={false}>
            No plan yet
          </div>
        )}
      </div>
    </div>
  );
}

function partLabel({ plan, worst }: ShownPlan, part: PlanPart): string {
  if (part === contractsPart) return `Proposed contracts: ${shownLine(plan.contracts.title)}`;
  if (part === integrationPart) return `Proposed integration: ${shownLine(plan.integration?.title ?? "")}`;
  const task = plan.tasks.find(({ id }) => id === taskOfPart(part));
  if (!task) return "";
  const waits = task.after.flatMap((id) => plan.tasks.find((other) => other.id === id)?.title ?? []);
  const problem = worst.get(task.id);
  return [
    `Proposed: ${shownLine(task.title) || "without a title"}`,
    `phase ${task.phase}`,
    `${task.priority} priority`,
    waits.length > 0 && `waits for ${shownLine(waits.join(", "))}`,
    problem && (problem === "fatal" ? "has a problem" : "has a warning"),
  ]
    .filter(Boolean)
    .join(", ");
}
