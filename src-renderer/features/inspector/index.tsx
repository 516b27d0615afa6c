import { Tabs } from "@base-ui/react/tabs";
import { GitFork, X } from "lucide-react";
import { useState } from "react";
import type { ForkView, WorkerView } from "#shared/contract/views/run.ts";
import type { Plan, PlannedTask } from "#shared/domain/plan/plan.ts";
import type { PlanEdit } from "#shared/domain/plan/plan-edit.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { contractsPart, type PlanPart, taskOfPart } from "#shared/graph/plan-layout.ts";
import { duration } from "../../kit/amounts.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { Button, IconButton } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { Field, TextArea, TextInput } from "../../kit/field.tsx";
import { FileName } from "../../kit/file-name.tsx";
import { isTyping } from "../../kit/key-table.ts";
import { Menu } from "../../kit/menu.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { RoleFieldset } from "../../kit/role-fieldset.tsx";
import { Section, Terms } from "../../kit/section.tsx";
import { graphElement } from "../../state/go-to.ts";
import { useChange } from "../../state/graph-store.ts";
import { useHost } from "../../state/host-store.ts";
import { useProblems } from "../../state/plan-amendment.ts";
import { editDraft, type PlanDraft, useShownDraft } from "../../state/plan-draft.ts";
import { useRefusal } from "../../state/role.ts";
import { select, useSelection, workerOfKey } from "../../state/selection-store.ts";
import { AgentMenu } from "../agent/agent-entries.tsx";
import { partOfKey, planPartMenu, removePlannedTask, useToBeNamed } from "../plan/plan-actions.ts";
import { PlanProblems } from "../plan/plan-problems.tsx";
import { FilesField, type OnEdit, TaskFields } from "../plan/task-fields.tsx";
import { forkState, formatCachedShare } from "./agents-table.tsx";
import { ChangeInspector } from "./change-inspector.tsx";
import { ConversationView } from "./conversation-view.tsx";
import { RunInspector } from "./run-inspector.tsx";
import { TabList } from "./tab-list.tsx";
import { WorkerFigures, WorkerLink } from "./worker-figures.tsx";

/** The selected change from every side; without a selection, the run as a whole. */
export function InspectorPanel() {
  const selected = useSelection((state) => state.selected);
  const change = useChange(selected);
  const run = useHost((state) => state.run);
  const draft = useShownDraft();
  const part = partOfKey(selected);
  const worker = run?.workers.find(({ name }) => name === workerOfKey(selected));
  return (
    <section aria-label="Inspector" className="h-full min-h-0">
      {change && selected ? (
        <ChangeInspector key={selected} change={change} />
      ) : run && worker?.fork ? (
        <ForkInspector key={worker.name} run={run.id} worker={worker} fork={worker.fork} />
      ) : draft && part !== null ? (
        <PlanPartInspector draft={draft} part={part} />
      ) : run ? (
        <RunInspector run={run} />
      ) : (
        // The graph beside it says how to begin.
        <p className="px-4 py-3 text-sm text-faint">Select a change to see it here.</p>
      )}
    </section>
  );
}

const tabs = [
  ["details", "Details"],
  ["agent", "Agent"],
  ["figures", "Metrics"],
] as const;
type Tab = (typeof tabs)[number][0];

interface ForkInspectorProps {
  readonly run: string;
  readonly worker: WorkerView;
  readonly fork: ForkView;
}

/** A fork has no change: its question, its answer, and its cost. */
function ForkInspector({ run, worker, fork }: ForkInspectorProps) {
  const [tab, setTab] = useState<Tab>("agent");
  return (
    <Tabs.Root
      value={tab}
      onValueChange={(next: Tab) => setTab(next)}
      className="flex h-full min-h-0 flex-col"
      data-fork={worker.name}
    >
      <ForkHeader worker={worker} fork={fork} />
      <TabList label="Views of the fork" tabs={tabs} />
      <Tabs.Panel value={tab} className="relative min-h-0 flex-1 overflow-y-auto outline-none" tabIndex={-1}>
        {tab === "details" && <ForkDetails worker={worker} fork={fork} />}
        {tab === "agent" && <ConversationView run={run} worker={worker.name} />}
        {tab === "figures" && <WorkerFigures worker={worker} />}
      </Tabs.Panel>
    </Tabs.Root>
  );
}

function ForkHeader({ worker, fork }: Omit<ForkInspectorProps, "run">) {
  const cached = formatCachedShare(fork);
  const state = forkState(fork);
  return (
    <header className="flex flex-col gap-1 px-3 pt-2.5 pb-2">
      <div className="flex items-start gap-2">
        <GitFork size={15} className="mt-[3px] shrink-0 text-faint" aria-label="Fork" />
        <h2
          dir="auto"
          title={shownText(worker.title)}
          className="line-clamp-2 min-w-0 flex-1 font-semibold break-words"
          data-selectable
        >
          {shownText(worker.title)}
        </h2>
        <AgentMenu worker={worker} />
        <IconButton label="Close" className="size-6" icon={<X size={14} />} onClick={() => select(null)} />
      </div>
      <div className="flex min-h-[18px] flex-wrap items-center gap-1.5">
        <Badge>{fork.agent}</Badge>
        <span className="inline-flex items-center gap-1 text-sm text-muted">
          <Avatar name={worker.name} state={worker.state} />
          {worker.name}
        </span>
        <Badge tone={tones[state] ?? "neutral"}>{state}</Badge>
        {cached && (
          <Badge tone="info" title="Share of its first request">
            {cached}
          </Badge>
        )}
      </div>
    </header>
  );
}

const tones: Readonly<Record<string, Tone>> = { done: "success", failed: "danger", working: "accent" };

function ForkDetails({ worker, fork }: Omit<ForkInspectorProps, "run">) {
  const { result } = fork;
  return (
    <div className="flex flex-col gap-4 p-3">
      <ForkText title="Task" text={fork.task} />
      {result?.error != null && <ForkText title="Error" text={result.error} className="text-danger" />}
      {result !== null && result.content !== "" && <ForkText title="Answer" text={result.content} />}
      <Terms
        terms={[
          [
            "Started by",
            worker.parent === null ? "unknown" : <WorkerLink key="parent" name={worker.parent} />,
          ],
          ["Model", worker.model],
          ["Started", <RelativeTime key="start" at={fork.begunAt} />],
          ["Duration", result && duration(result.metadata.latency_ms)],
          [
            "Files written",
            fork.files.length > 0 && (
              <ul>
                {fork.files.map((path) => (
                  <li key={path} className="truncate">
                    <FileName path={path} />
                  </li>
                ))}
              </ul>
            ),
          ],
        ]}
      />
      {fork.isCancelled && (
        <p className="text-sm text-muted">
          Cancelled: the task that started this fork has ended or was undone.
        </p>
      )}
    </div>
  );
}

interface ForkTextProps {
  readonly title: string;
  readonly text: string;
  readonly className?: string;
}

const ForkText = ({ title, text, className }: ForkTextProps) => (
  <Section title={title}>
    <p className={cx("whitespace-pre-wrap", className)} data-selectable>
      {shownText(text)}
    </p>
  </Section>
);

interface PlanPartInspectorProps {
  readonly draft: PlanDraft;
  readonly part: PlanPart;
}

/** One part of a proposed plan, to be edited in place; everything that is typed is in the plan at once. */
function PlanPartInspector({ draft, part }: PlanPartInspectorProps) {
  const { plan, item } = draft;
  const refusal = useRefusal("inbox.answer");
  const edit = (...edits: readonly PlanEdit[]): void => void editDraft(item.id, ...edits);
  const task = plan.tasks.find((one) => one.id === taskOfPart(part));
  const kind = task ? `Task of phase ${task.phase}` : part === contractsPart ? "Contracts" : "Integration";
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it listens to the fields that are in it
    <div
      className="relative flex h-full flex-col overflow-y-auto"
      data-plan-inspector={part}
      onKeyDown={(event) => {
        // Out of a field again, to the lane that it is about.
        if (event.key !== "Escape" || event.defaultPrevented || !isTyping(event.target)) return;
        event.preventDefault();
        graphElement()?.focus();
      }}
    >
      <header className="flex items-center gap-2 px-3 pt-2.5 pb-1">
        <h2 className="min-w-0 flex-1 truncate font-semibold">{kind}</h2>
        <Badge tone="accent">proposed</Badge>
        <Menu trigger={<Button size="sm">More</Button>} entries={planPartMenu(part)} />
        <IconButton label="Close" className="size-6" icon={<X size={14} />} onClick={() => select(null)} />
      </header>
      <div className="flex flex-col gap-3 px-3 pt-1 pb-4">
        <RoleFieldset refusal={refusal}>
          {task ? (
            <PlannedTaskFields key={task.id} task={task} draft={draft} onEdit={edit} />
          ) : part === contractsPart ? (
            <ContractFields plan={plan} onEdit={edit} />
          ) : (
            <IntegrationFields plan={plan} onEdit={edit} />
          )}
        </RoleFieldset>
      </div>
    </div>
  );
}

function PlannedTaskFields({
  task,
  draft: { item, plan },
  onEdit,
}: {
  readonly task: PlannedTask;
  readonly draft: PlanDraft;
  readonly onEdit: OnEdit;
}) {
  const problems = useProblems(item.id, plan).filter((problem) => problem.tasks.includes(task.id));
  const named = useToBeNamed((state) => state.task === task.id);
  return (
    <>
      <PlanProblems plan={plan} problems={problems} onEdit={onEdit} />
      <TaskFields
        task={task}
        plan={plan}
        orchestrator={item.orchestrator}
        onEdit={onEdit}
        named={named}
        onNamed={() => useToBeNamed.setState({ task: null })}
      />
      <Button look="danger" className="w-fit" onClick={() => removePlannedTask(task.id)}>
        Remove from the plan
      </Button>
    </>
  );
}

function ContractFields({ plan, onEdit }: { readonly plan: Plan; readonly onEdit: OnEdit }) {
  const { contracts } = plan;
  const set = (patch: Partial<Plan["contracts"]>): void =>
    onEdit({ kind: "contracts", ...contracts, ...patch });
  return (
    <>
      <p className="text-sm text-muted">
        Written by the orchestrator before any task starts. Every task inherits them.
      </p>
      <TitleAndText value={contracts} onChange={set} />
      <FilesField files={contracts.files} onChange={(files) => set({ files })} />
    </>
  );
}

function IntegrationFields({ plan, onEdit }: { readonly plan: Plan; readonly onEdit: OnEdit }) {
  const integration = plan.integration ?? { title: "", description: "" };
  return (
    <>
      <p className="text-sm text-muted">One change that combines all tasks, without conflicts.</p>
      <TitleAndText
        value={integration}
        onChange={(patch) => onEdit({ kind: "integration", ...integration, ...patch })}
      />
    </>
  );
}

type Text = Pick<PlannedTask, "title" | "description">;

interface TitleAndTextProps {
  readonly value: Text;
  readonly onChange: (patch: Partial<Text>) => void;
}

function TitleAndText({ value, onChange }: TitleAndTextProps) {
  return (
    <>
      <Field label="Title">
        <TextInput value={value.title} onChange={(event) => onChange({ title: event.target.value })} />
      </Field>
      <Field label="Description">
        <TextArea
          rows={5}
          value={value.description}
          onChange={(event) => onChange({ description: event.target.value })}
        />
      </Field>
    </>
  );
}
