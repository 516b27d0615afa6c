import { Popover } from "@base-ui/react/popover";
import { ChevronDown, Ghost, Plus, Redo2, TriangleAlert, Undo2 } from "lucide-react";
import { useMemo, useState } from "react";
import { type Plan, type PlanProblem, workersNeeded } from "#shared/domain/plan/plan.ts";
import { delegatedTasks } from "#shared/domain/plan/plan-check.ts";
import { problemGroups } from "#shared/domain/plan/problem-texts.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { dollars, tokens } from "../../kit/amounts.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { useLimitFields } from "../../kit/field.tsx";
import { Menu } from "../../kit/menu.tsx";
import { withRefusals } from "../../registry/registry.ts";
import { goToCard } from "../../state/go-to.ts";
import { useHost } from "../../state/host-store.ts";
import { useProblems } from "../../state/plan-amendment.ts";
import {
  editDraft,
  forgetAside,
  isEdited,
  type PlanDraft,
  redoEdit,
  showPlanInRun,
  takeAside,
  undoEdit,
  usePlanDrafts,
  usePlanInRun,
  useShownDraft,
} from "../../state/plan-draft.ts";
import { useGraphView } from "../../state/selection-store.ts";
import { addPhase, addPlannedTask, editCommand as command, showPlan } from "./plan-actions.ts";
import { PlanProblems } from "./plan-problems.tsx";

/** Below the graph while a plan waits: what it claims, what is wrong with it, and the way to the card that lets it begin. */
export function PlanBar() {
  const draft = useShownDraft();
  const problems = useProblems(draft?.item.id ?? null, draft?.plan ?? null);
  if (!draft) return null;
  const { plan, item } = draft;
  const sums = planSums(plan);
  return (
    <section
      aria-label="Plan"
      data-plan-bar
      className="@container/plan shrink-0 border-t bg-accent-soft/60 px-2.5 py-1.5"
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <PlanChoice draft={draft} />
        <Problems problems={problems} draft={draft} />
        <span className="flex-1" />
        <IconButton
          label="Undo the edit"
          keys="mod+z"
          icon={<Undo2 size={14} />}
          disabled={draft.past.length === 0}
          onClick={() => undoEdit(item.id)}
        />
        <IconButton
          label="Redo the edit"
          keys="mod+shift+z"
          icon={<Redo2 size={14} />}
          disabled={draft.future.length === 0}
          onClick={() => redoEdit(item.id)}
        />
        <Menu
          trigger={
            <Button size="sm">
              <Plus size={13} aria-hidden />
              Add
            </Button>
          }
          entries={withRefusals([
            ...plan.phases.map(({ number, title }) => ({
              label: `Task in phase ${number}: ${title}`,
              command,
              onSelect: () => addPlannedTask(number),
            })),
            "separator",
            { label: "Phase", command, onSelect: addPhase },
          ])}
        />
        <InRun draft={draft} />
        <Button size="sm" title="Review and approve" onClick={() => goToCard(item.id)}>
          Review and approve…
        </Button>
      </div>
      <p className="mt-0.5 flex min-w-0 flex-wrap items-center gap-x-1.5 text-sm text-muted">
        {sums.map((sum, index) => (
          <span key={sum} className="whitespace-nowrap">
            {index === 3 ? <BudgetButton draft={draft} label={sum} /> : sum}
            {index < sums.length - 1 && <span aria-hidden> ·</span>}
          </span>
        ))}
        {plan.orchestrators.reason && (
          <span className="min-w-0 flex-1 basis-40 truncate" title={plan.orchestrators.reason}>
            ({plan.orchestrators.reason})
          </span>
        )}
      </p>
      <Aside id={item.id} run={item.run} />
    </section>
  );
}

const authorOf = ({ item }: PlanDraft): string => item.orchestrator;

/** Which plan is drawn on the graph: a choice where several wait, else a label. */
function PlanChoice({ draft }: { readonly draft: PlanDraft }) {
  const drafts = usePlanDrafts((state) => state.drafts);
  const orchestrators = useHost((state) => state.run?.orchestrators);
  const titles = useMemo(
    () => new Map(orchestrators?.map(({ name, title }) => [name, title])),
    [orchestrators],
  );
  const edited = isEdited(draft) ? ", edited" : "";
  const all = [...drafts.values()];
  if (all.length < 2)
    return (
      <span className="inline-flex items-center gap-1.5 font-medium text-accent-text">
        <Ghost size={14} aria-hidden />
        {`Proposed plan${edited}`}
      </span>
    );
  return (
    <Menu
      trigger={
        <button
          type="button"
          title="Choose the plan to show on the graph"
          className="-ml-1 inline-flex h-6 min-w-0 items-center gap-1.5 rounded-md px-1 font-medium text-accent-text hover:bg-hover"
        >
          <Ghost size={14} className="shrink-0" aria-hidden />
          <span className="truncate">{`Plan of ${authorOf(draft)}${edited}`}</span>
          <span className="shrink-0 text-sm font-normal tabular-nums">
            {all.indexOf(draft) + 1} of {all.length}
          </span>
          <ChevronDown size={13} className="shrink-0" aria-hidden />
        </button>
      }
      entries={all.map((one) => ({
        label: [authorOf(one), titles.get(authorOf(one))].filter(Boolean).join(": "),
        checked: one === draft,
        onSelect: () => showPlan(one.item.id),
      }))}
    />
  );
}

function agents(plan: Plan): string {
  const delegated = delegatedTasks(plan).length;
  const own = workersNeeded(plan) - delegated;
  if (delegated === 0) return counted(own, "agent");
  const parts = counted(delegated, "part");
  return own === 0
    ? `${parts} with ${delegated === 1 ? "its" : "their"} own agents`
    : `${counted(own, "agent")} and those of ${parts}`;
}

/**
 * What a plan claims, in a few words: for the bar below the graph.
 *
 * Tasks run by one agent each, but for those that are delegated: their orchestrators plan with agents of their own.
 */
function planSums(plan: Plan): readonly string[] {
  const { microDollars, tokens: most } = plan.budget;
  const limits = [
    ...(microDollars === null ? [] : [dollars(microDollars)]),
    ...(most === null ? [] : [`${tokens(most)} tokens`]),
  ];
  return [
    counted(plan.tasks.length, "task"),
    agents(plan),
    counted(plan.phases.length, "phase"),
    limits.length === 0 ? "no separate budget" : `max. ${limits.join(" and ")}`,
    counted(plan.orchestrators.count, "orchestrator"),
  ];
}

/** Shows a part's plan on the canvas in place of the active run. */
function InRun({ draft }: { readonly draft: PlanDraft }) {
  const isInRun = useHost(({ run }) => run?.planApproved === true && run.id === draft.item.run);
  const isCanvas = useGraphView() === "canvas";
  const isShown = usePlanInRun();
  if (!isInRun || !isCanvas) return null;
  return (
    <Button size="sm" onClick={() => showPlanInRun(isShown ? null : draft.item.id)}>
      {isShown ? "Back to the run" : "Show on canvas"}
    </Button>
  );
}

function Problems({
  problems,
  draft,
}: {
  readonly problems: readonly PlanProblem[];
  readonly draft: PlanDraft;
}) {
  const groups = problemGroups(draft.plan, problems);
  if (groups.length === 0)
    return (
      <span
        className="text-sm text-success"
        title="Checked for circular or missing dependencies and overlapping files"
      >
        no problems found
      </span>
    );
  const fatal = problems.some((problem) => problem.severity === "fatal");
  return (
    <Popover.Root>
      <Popover.Trigger
        className={cx(
          "inline-flex h-6 items-center gap-1 rounded-md px-1.5 text-sm font-medium hover:bg-hover",
          fatal ? "text-danger" : "text-warning",
        )}
      >
        <TriangleAlert size={13} aria-hidden />
        {counted(groups.length, "problem")}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} side="top" align="start" className="z-40">
          <Popover.Popup className="appear max-h-[60vh] w-[440px] max-w-[calc(100vw-32px)] overflow-y-auto rounded-lg border bg-raised p-3 shadow-pop outline-none">
            <Popover.Title className="mb-1.5 font-semibold">Problems of the plan</Popover.Title>
            <PlanProblems
              plan={draft.plan}
              problems={problems}
              onEdit={(...edits) => editDraft(draft.item.id, ...edits)}
            />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function BudgetButton({ draft, label }: { readonly draft: PlanDraft; readonly label: string }) {
  const [open, setOpen] = useState(false);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger className="rounded-sm text-accent-text underline-offset-2 hover:underline">
        {label}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} side="top" align="start" className="z-40">
          <Popover.Popup className="appear w-72 rounded-lg border bg-raised p-3 shadow-pop outline-none">
            <Popover.Title className="mb-2 font-semibold">Budget of the run</Popover.Title>
            <BudgetForm draft={draft} onDone={() => setOpen(false)} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function BudgetForm({ draft, onDone }: { readonly draft: PlanDraft; readonly onDone: () => void }) {
  const { limits, fields } = useLimitFields(draft.plan.budget);
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (!limits) return;
        editDraft(draft.item.id, { kind: "budget", ...limits });
        onDone();
      }}
    >
      {fields}
      <Button type="submit" look="primary" disabled={limits === null}>
        Set
      </Button>
    </form>
  );
}

/** The planner proposed a new plan while the user's edits of the last one were not approved. */
function Aside({ id, run }: { readonly id: string; readonly run: string }) {
  const aside = usePlanDrafts((state) => state.aside);
  if (aside?.run !== run) return null;
  return (
    <div
      role="status"
      className="mt-1 flex flex-wrap items-center gap-2 rounded-md bg-warning-soft px-2.5 py-1 text-sm text-warning"
    >
      <span className="min-w-0 flex-1 basis-60">
        This is a new proposal. Your edits of the previous one are set aside.
      </span>
      <Button size="sm" onClick={() => takeAside(id)}>
        Use my plan instead
      </Button>
      <Button size="sm" look="ghost" onClick={forgetAside}>
        Discard my edits
      </Button>
    </div>
  );
}
