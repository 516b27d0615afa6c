import { TriangleAlert } from "lucide-react";
import type { Plan } from "#shared/domain/plan/plan.ts";
import type { PlanEdit } from "#shared/domain/plan/plan-edit.ts";
import type { PlanProblem } from "#shared/domain/plan/plan-problem.ts";
import { problemGroups } from "#shared/domain/plan/problem-words.ts";
import { Button } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";

interface PlanProblemsProps {
  readonly plan: Plan;
  readonly problems: readonly PlanProblem[];
  readonly onEdit: (...edits: readonly PlanEdit[]) => void;
}

/** Every problem with its ways out, each one click; a file in which many tasks meet is one. */
export function PlanProblems({ plan, problems, onEdit }: PlanProblemsProps) {
  if (problems.length === 0) return null;
  return (
    <ul className="flex flex-col gap-1.5" aria-label="Problems of the plan">
      {problemGroups(plan, problems).map((problem) => (
        <li
          key={problem.key}
          className={cx(
            "rounded-md px-2.5 py-1.5 text-sm",
            problem.severity === "fatal" ? "bg-danger-soft text-danger" : "bg-warning-soft text-warning",
          )}
        >
          <p className="flex gap-1.5">
            <TriangleAlert size={13} className="mt-[3px] shrink-0" aria-hidden />
            <span className="min-w-0 break-words">{problem.text}</span>
          </p>
          <div className="mt-1 flex flex-wrap gap-1 pl-[19px]">
            {problem.remedies.map(({ label, edits }) => (
              <Button
                key={label}
                size="sm"
                className="max-w-full"
                title={label}
                onClick={() => onEdit(...edits)}
              >
                <span className="truncate">{label}</span>
              </Button>
            ))}
          </div>
        </li>
      ))}
    </ul>
  );
}
