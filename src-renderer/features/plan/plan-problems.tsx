import { TriangleAlert } from "lucide-react";
import type { Plan, PlanProblem } from "#shared/domain/plan/plan.ts";
import type { PlanEdit } from "#shared/domain/plan/plan-edit.ts";
import { type ProblemGroup, problemGroups } from "#shared/domain/plan/problem-texts.ts";
import { Button } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";

interface PlanProblemsProps {
  readonly plan: Plan;
  readonly problems: readonly PlanProblem[];
  readonly onEdit: (...edits: readonly PlanEdit[]) => void;
}

/** What several of a kind are called together. */
const kindNames: Readonly<Record<PlanProblem["kind"], string>> = {
  "no-integration": "missing integration",
  "no-task": "empty plan",
  "same-id": "duplicate task IDs",
  "no-phase": "tasks in an unknown phase",
  unknown: "missing dependencies",
  "later-phase": "dependencies on a later phase",
  circle: "circular dependencies",
  hierarchy: "problems with the orchestrators",
  overlap: "overlapping files",
  import: "imports from a parallel task",
  agent: "agents that can’t work",
  attempts: "tasks with several attempts",
  taken: "tasks with files of another run",
  "no-details": "task without a description",
};

/** So many of a kind are shown one by one. */
const maxShown = 2;

const byKind = (groups: readonly ProblemGroup[]): readonly (readonly ProblemGroup[])[] => {
  const kinds = [...new Set(groups.map(({ kind }) => kind))];
  return kinds.map((kind) => groups.filter((group) => group.kind === kind));
};

const toneOf = ({ severity }: ProblemGroup): string =>
  severity === "fatal" ? "bg-danger-soft text-danger" : "bg-warning-soft text-warning";

/** Every problem with its ways out, each one click; a file in which many tasks meet is one, and many of a kind are a line to open. */
export function PlanProblems({ plan, problems, onEdit }: PlanProblemsProps) {
  if (problems.length === 0) return null;
  return (
    <ul className="flex flex-col gap-1.5" aria-label="Problems of the plan">
      {byKind(problemGroups(plan, problems)).map((groups) => {
        const [first] = groups;
        if (!first) return null;
        if (groups.length <= maxShown)
          return groups.map((group) => (
            <li key={group.key} className={cx("rounded-md px-2.5 py-1.5 text-sm", toneOf(group))}>
              <Problem group={group} onEdit={onEdit} />
            </li>
          ));
        return (
          <li key={first.kind} className={cx("rounded-md px-2.5 py-1.5 text-sm", toneOf(first))}>
            <details>
              <summary className="cursor-pointer font-medium">
                {groups.length} {kindNames[first.kind]}
              </summary>
              <ul className="mt-2 flex max-h-80 flex-col gap-2.5 overflow-y-auto">
                {groups.map((group) => (
                  <li key={group.key}>
                    <Problem group={group} onEdit={onEdit} />
                  </li>
                ))}
              </ul>
            </details>
          </li>
        );
      })}
    </ul>
  );
}

interface ProblemProps {
  readonly group: ProblemGroup;
  readonly onEdit: PlanProblemsProps["onEdit"];
}

function Problem({ group, onEdit }: ProblemProps) {
  return (
    <>
      <p className="flex gap-1.5">
        <TriangleAlert size={13} className="mt-[3px] shrink-0" aria-hidden />
        <span className="min-w-0 break-words">{group.text}</span>
      </p>
      <div className="mt-1 flex flex-wrap gap-1 pl-[19px]">
        {group.remedies.map(({ label, edits }) => (
          <Button key={label} size="sm" className="max-w-full" title={label} onClick={() => onEdit(...edits)}>
            <span className="truncate">{label}</span>
          </Button>
        ))}
      </div>
    </>
  );
}
