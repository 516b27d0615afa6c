import { ChevronRight, Maximize2, ShieldAlert } from "lucide-react";
import { useMemo, useState } from "react";
import { answerCommand } from "#shared/contract/cards/card.ts";
import { cardName, type InboxItem, type InboxKind, type ItemOf, kindOfCard } from "#shared/contract/cards.ts";
import { formatOutOfScopeFile } from "#shared/domain/merge-request/out-of-scope-files.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import type { PlanEdit } from "#shared/domain/plan/plan-edit.ts";
import { decideWorkflow } from "#shared/domain/plan/plan-workflow.ts";
import { shownName, shownText } from "#shared/domain/text/shown-text.ts";
import { settingsOf } from "#shared/domain/workflow/workflow.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Badge } from "../../kit/badge.tsx";
import { IconButton, LinkButton } from "../../kit/button.tsx";
import { ChecksView } from "../../kit/checks-view.tsx";
import { cx } from "../../kit/class-names.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { FileName } from "../../kit/file-name.tsx";
import { MergeRequestReviews } from "../../kit/merge-request-reviews.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { RoleFieldset } from "../../kit/role-fieldset.tsx";
import { useHost } from "../../state/host-store.ts";
import { rootOf, runsOf } from "../../state/other-runs.ts";
import { useOthers } from "../../state/people.ts";
import { useProblems } from "../../state/plan-amendment.ts";
import { editDraft, isEdited, usePlanDraft } from "../../state/plan-draft.ts";
import { useRefusal } from "../../state/role.ts";
import { inspect } from "../../state/selection-store.ts";
import { ForecastLine, useForecast } from "../forecast/forecast-line.tsx";
import { decisionOf, whyNotApproved } from "../plan/plan-actions.ts";
import { PlanProblems } from "../plan/plan-problems.tsx";
import { PlanView } from "../plan/plan-view.tsx";
import { WorkflowView } from "../plan/workflow-view.tsx";
import { AttemptsCard } from "./attempts-card.tsx";
import { BudgetCard } from "./budget-card.tsx";
import { type CardBodyProps, CardDiff, CardFrame, GiveUpTask } from "./card-frame.tsx";
import { DependencyCard } from "./dependency-card.tsx";
import { LandCard } from "./land-card.tsx";
import { Missing } from "./land-evidence.tsx";
import { MutationCard } from "./mutation-card.tsx";
import { PatternCard } from "./pattern-card.tsx";
import { PreflightCard } from "./preflight-card.tsx";
import { QuestionCard } from "./question-card.tsx";
import { SuggestionCard } from "./suggestion-card.tsx";
import { TroubleCard } from "./trouble-card.tsx";
import { VotesCard } from "./votes-card.tsx";

interface InboxCardProps {
  readonly item: InboxItem;
  readonly open: boolean;
  readonly onOpen: () => void;
}

/** Whose card it is, where several runs go on. */
function RunBadge({ run: id }: { readonly run: string }) {
  const root = useHost((state) => {
    const asking = state.otherRuns.length === 0 ? undefined : runsOf(state).find((one) => one.id === id);
    return asking === undefined ? null : rootOf(asking);
  });
  return root === null ? null : <Badge tone="neutral">{root}</Badge>;
}

export function InboxCard({ item, open, onOpen }: InboxCardProps) {
  const [large, setLarge] = useState(false);
  const kind = kindOfCard(item);
  const from = kind.from(item);
  const headline = kind.headline(item);
  const refusal = useRefusal("inbox.answer");
  return (
    <article
      aria-label={`${kind.title}: ${headline}`}
      data-inbox-kind={item.kind}
      className={cx(
        "rounded-lg border bg-surface",
        open && "border-line-strong shadow-[0_1px_3px_rgb(0_0_0/0.06)]",
      )}
    >
      <header className="flex items-start gap-2 px-3 py-2">
        <h3 className="min-w-0 flex-1">
          <button
            type="button"
            aria-expanded={open}
            onClick={onOpen}
            className={cx("flex w-full min-w-0 items-center gap-2 rounded-sm text-left", open && "flex-wrap")}
          >
            <ChevronRight size={14} className={cx("shrink-0 text-faint", open && "rotate-90")} aria-hidden />
            <Badge tone={kind.tone}>{kind.title}</Badge>
            <RunBadge run={item.run} />
            {from && <Avatar name={from} />}
            <span
              // What is decided on is read whole; a closed card is one line of a list.
              className={cx(
                "min-w-0 flex-1 font-medium",
                open ? "order-last basis-full text-pretty break-words" : "truncate",
              )}
              {...(open ? {} : { title: shownText(headline) })}
              dir="auto"
            >
              {shownText(headline)}
            </span>
          </button>
        </h3>
        <RelativeTime at={item.at} className="shrink-0 text-xs text-faint" />
        {open && (
          <IconButton
            label="Open in a dialog"
            className="size-6"
            icon={<Maximize2 size={13} />}
            onClick={() => setLarge(true)}
          />
        )}
      </header>
      <AnsweredBy item={item} />
      {open && !large && (
        <>
          <RoleFieldset refusal={refusal}>
            <CardContent item={item} isWide={false} />
          </RoleFieldset>
          {refusal === null && <InTerminal item={item} />}
        </>
      )}
      {large && (
        <Dialog
          open
          onClose={() => setLarge(false)}
          title={headline}
          description={kind.title}
          width="w-[960px]"
        >
          <div className="-mx-3 h-full">
            <RoleFieldset refusal={refusal}>
              <CardContent item={item} isWide />
            </RoleFieldset>
          </div>
        </Dialog>
      )}
    </article>
  );
}

/** Somebody else has the card open to answer it, or has answered it. */
function AnsweredBy({ item }: { readonly item: InboxItem }) {
  const names = useOthers()
    .filter(({ card }) => card === item.id)
    .map(({ name }) => shownName(name));
  const text = item.answeredBy
    ? `Answered by ${shownName(item.answeredBy)}`
    : names.length > 0
      ? `Being answered by ${names.join(", ")}`
      : null;
  return (
    text && (
      <p role="status" className="px-3 pb-2 text-sm text-info">
        {text}
      </p>
    )
  );
}

/** The same answers as terminal commands. */
function InTerminal({ item }: { readonly item: InboxItem }) {
  const isOpen = useHost((state) => state.inbox.some(({ id }) => id === item.id));
  if (!isOpen) return null;
  const answers = kindOfCard(item).options(item);
  const words = answers.map(({ typed, does }) => `${typed}: ${does}`).join("\n");
  const first = answers[0];
  return first === undefined ? null : (
    <p className="truncate px-3 pb-2 text-xs text-faint" title={words}>
      In a terminal: <code className="font-mono">{answerCommand(cardName(item), first)}</code>
    </p>
  );
}

function CardContent(props: CardBodyProps<InboxItem>) {
  // Each body is only ever given items of its own kind.
  const Body = cardBodies[props.item.kind] as React.FunctionComponent<CardBodyProps<InboxItem>>;
  return <Body {...props} />;
}

const reasons: Readonly<Record<ItemOf<"merge-request">["why"], string>> = {
  "user-reviews": "You review finished work in this repository.",
  "passed-on": "Its orchestrator leaves the decision to you.",
  "too-many-rounds": "It was sent back the maximum number of times.",
};

/** Finished work that a user judges: what was said so far, the checks of a fresh checkout, and the work itself. */
function MergeRequestCard({ item, isWide }: CardBodyProps<ItemOf<"merge-request">>) {
  return (
    <CardFrame
      item={item}
      approve={{ label: "Accept", decision: () => ({ kind: "approve" }) }}
      reject={{ label: "Ask for changes", reason: "What should change? The agent will read it." }}
      last={<GiveUpTask item={item} worker={item.from} />}
    >
      <p className="text-sm text-muted">
        <LinkButton className="font-medium" onClick={() => inspect(item.changeId)}>
          {item.from}
        </LinkButton>
        , round {item.round}. {reasons[item.why]}
      </p>
      <p className="whitespace-pre-wrap" data-selectable>
        {shownText(item.summary)}
      </p>
      {item.checks.length > 0 && (
        <div className="-mx-3 -my-2">
          <ChecksView checks={item.checks} />
        </div>
      )}
      <Missing works={item.missing ?? []} title="Missing from this change" />
      {item.beyond && item.beyond.length > 0 && (
        <div className="flex flex-col gap-1 text-sm">
          <p className="font-medium">Outside its task</p>
          <ul className="list-disc pl-5 text-muted" data-selectable>
            {item.beyond.map((one) => (
              <li key={one.path}>{shownText(formatOutOfScopeFile(one))}</li>
            ))}
          </ul>
        </div>
      )}
      <MergeRequestReviews reviews={item.reviews} />
      <CardDiff item={item} isWide={isWide} />
    </CardFrame>
  );
}

/** What each kind of card shows when it is open. */
const cardBodies: { readonly [Kind in InboxKind]: React.FunctionComponent<CardBodyProps<ItemOf<Kind>>> } = {
  plan: PlanCard,
  depth: DepthCard,
  amendment: AmendmentCard,
  "align-request": QuestionCard,
  mutation: MutationCard,
  budget: BudgetCard,
  votes: VotesCard,
  "merge-request": MergeRequestCard,
  attempts: AttemptsCard,
  pattern: PatternCard,
  land: LandCard,
  protected: ProtectedCard,
  dependency: DependencyCard,
  preflight: PreflightCard,
  sandbox: SandboxCard,
  suggestion: SuggestionCard,
  trouble: TroubleCard,
};

/** The proposed plan, to be edited in place or on the graph. What is approved is what is on screen. */
function PlanCard({ item }: { readonly item: ItemOf<"plan"> }) {
  const draft = usePlanDraft(item.id);
  const plan = draft?.plan ?? item.plan;
  const problems = useProblems(item.id, plan);
  const workflow = useMemo(() => decideWorkflow(plan, settingsOf(item.workflow)), [item.workflow, plan]);
  const hindrance = whyNotApproved(plan, problems);
  const fatal = problems.some((problem) => problem.severity === "fatal");
  const edit = (...edits: readonly PlanEdit[]): void => void editDraft(item.id, ...edits);
  return (
    <CardFrame
      item={item}
      approve={{
        label: draft && isEdited(draft) ? "Approve as edited" : "Approve",
        disabled: hindrance !== null,
        keys: "mod+Enter",
        decision: () => (draft ? decisionOf(draft) : { kind: "approve" }),
      }}
      reject={{ label: "Reject", reason: "What should change in the plan?" }}
    >
      <PlanProblems plan={plan} problems={problems} onEdit={edit} />
      <PlanView plan={plan} onEdit={edit} hasContracts={workflow.contracts.mode !== "off"} />
      <WorkflowView workflow={workflow} choices={plan.workflow} onEdit={edit} />
      <PlanForecast run={item.run} plan={plan} />
      {hindrance !== null && !fatal && <p className="text-sm text-danger">{hindrance}</p>}
    </CardFrame>
  );
}

/** What its tasks usually cost; a rehearsal costs nothing. */
function PlanForecast({ run, plan }: { readonly run: string; readonly plan: Plan }) {
  const forecast = useForecast();
  const model = useHost((state) => {
    const found = runsOf(state).find(({ id }) => id === run);
    return found && found.rehearsal === null ? found.model : null;
  });
  return model === null ? null : <ForecastLine forecast={forecast} model={model} plan={plan} />;
}

/** Changes to protected files that an agent made, removed from its change until the user decides. */
function ProtectedCard({ item, isWide }: CardBodyProps<ItemOf<"protected">>) {
  return (
    <CardFrame
      item={item}
      approve={{ label: "Allow as shown", decision: () => ({ kind: "approve" }) }}
      reject={{ label: "Discard", reason: null }}
    >
      <p className="text-muted">
        {item.worker} changed {item.paths.length === 1 ? "a protected file" : "protected files"}. Hox removed
        this from its change, and the agent continues without it. Its merge request waits for your decision.
        If you allow it, the files are restored exactly as shown here, and the agent cannot change them
        further.
      </p>
      <ul className="flex flex-col gap-1">
        {item.paths.map((path) => (
          <li key={path} className="flex items-center gap-1.5 font-mono text-sm">
            <ShieldAlert size={13} className="shrink-0 text-warning" aria-hidden />
            <FileName path={path} />
          </li>
        ))}
      </ul>
      <CardDiff item={item} isWide={isWide} />
    </CardFrame>
  );
}

/** An orchestrator wants more tasks in its plan while it is carried out. */
function AmendmentCard({ item }: { readonly item: ItemOf<"amendment"> }) {
  const { tasks } = item;
  return (
    <CardFrame
      item={item}
      approve={{
        label: tasks.length === 1 ? "Add task" : "Add tasks",
        decision: () => ({ kind: "approve" }),
      }}
      reject={{ label: "Reject", reason: "What should be done instead?" }}
    >
      <p className="whitespace-pre-wrap text-muted">{item.reason}</p>
      {item.problems.map((problem) => (
        <p key={problem} className="text-warning">
          {problem}
        </p>
      ))}
      <ul className="flex flex-col gap-1.5">
        {tasks.map((task) => (
          <li key={task.id} className="rounded-md border bg-surface px-2.5 py-2">
            <p className="font-medium">{task.title}</p>
            <p className="text-sm text-faint">
              {task.delegate ? "led by its own orchestrator" : "an agent"}, phase {task.phase}
              {task.after.length > 0 && `, after ${task.after.join(", ")}`}
            </p>
            <p className="text-sm whitespace-pre-wrap text-muted">{task.description}</p>
            {task.files.length > 0 && (
              <p className="font-mono text-sm break-all text-muted">{task.files.map(shownName).join(" ")}</p>
            )}
          </li>
        ))}
      </ul>
    </CardFrame>
  );
}

/** A plan wants orchestrators on one more level than may be made by themselves. */
function DepthCard({ item }: { readonly item: ItemOf<"depth"> }) {
  return (
    <CardFrame
      item={item}
      approve={{ label: `Allow level ${item.level}`, decision: () => ({ kind: "approve" }) }}
      reject={{ label: "Agents only", reason: "What should change in the plan?" }}
    >
      <p className="text-muted">
        {item.from} wants to delegate {item.tasks.length === 1 ? "a task" : `${item.tasks.length} tasks`} to
        orchestrators on level {item.level}.{" "}
        {item.allowed === 1 ? "One level is" : `${item.allowed} levels are`} allowed without approval. Each
        delegated task costs an additional plan, contracts and integration.
      </p>
      {item.reason !== "" && <p className="whitespace-pre-wrap text-muted">{item.reason}</p>}
      <ul className="flex flex-col gap-1.5">
        {item.tasks.map((task) => (
          <li key={task.title} className="rounded-md border bg-surface px-2.5 py-2">
            <p className="font-medium">{task.title}</p>
            <p className="text-sm whitespace-pre-wrap text-muted">{task.description}</p>
          </li>
        ))}
      </ul>
    </CardFrame>
  );
}

/** Explicit confirmation before any command runs without a sandbox. */
function SandboxCard({ item }: { readonly item: ItemOf<"sandbox"> }) {
  return (
    <CardFrame
      item={item}
      approve={{ label: "Run commands without a sandbox", decision: () => ({ kind: "approve" }) }}
      reject={{ label: "Do not run commands", reason: null }}
    >
      <p className="whitespace-pre-wrap text-muted">{item.description}</p>
      <p className="rounded-md bg-danger-soft px-3 py-2 text-sm text-danger">
        Without a sandbox an agent&apos;s command can read and change everything that you can: your files,
        your keys, your network.
      </p>
    </CardFrame>
  );
}
