import { BookOpen, ChevronRight } from "lucide-react";
import { useState } from "react";
import type { PatternSuggestion } from "#shared/contract/commands/pattern.ts";
import type { BaseCommitView, RunBaseView } from "#shared/contract/commands/run.ts";
import type { StartChoicesView } from "#shared/contract/commands/start.ts";
import type { CommandInput } from "#shared/contract/commands.ts";
import { goalOfIdea } from "#shared/domain/archangel/archangel.ts";
import { formatUses } from "#shared/domain/patterns/pattern-record.ts";
import { maxAttempts } from "#shared/domain/plan/plan.ts";
import type { RunAgain } from "#shared/domain/run/away-summary.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { whyNot } from "#shared/domain/worker/agent-capabilities.ts";
import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { CountField, Field, TextInput, useLimitFields } from "../../kit/field.tsx";
import { matches } from "../../kit/key-table.ts";
import { Segmented } from "../../kit/segmented.tsx";
import { agentOfChoice } from "../../state/agent-choices.ts";
import { runDraft } from "../../state/drafts.ts";
import { useHost } from "../../state/host-store.ts";
import { showRun } from "../../state/other-runs.ts";
import { openPattern } from "../../state/pattern-library.ts";
import { closeDialog, closeDialogOf, openDialog } from "../../state/selection-store.ts";
import {
  type Loaded,
  shownValue,
  useAtRest,
  useAttempt,
  useLoaded,
  useReconnects,
} from "../../state/use-loaded.ts";
import { ForecastLine, useForecast } from "../forecast/forecast-line.tsx";
import { IdeasField } from "./ideas-field.tsx";
import { useAttachments } from "./start/attachments-field.tsx";
import { GoalField } from "./start/goal-field.tsx";
import { GoalTools } from "./start/goal-tools.tsx";
import { issueInput, useIssue } from "./start/issue-field.tsx";
import { PlacesField } from "./start/places-field.tsx";
import { RoleModels } from "./start/role-models.tsx";
import { OtherRuns, UntrustedSettings } from "./start/untrusted-settings.tsx";
import { useRunDraft, useStartChoices, useStartForm } from "./start/use-start-form.ts";
import { HowToRun, ValidatorsField } from "./start/validators-field.tsx";

/** Asks for a goal and its limits, or for those of a run that came to nothing. Nothing is spent before the plan is on screen. */
export function StartRunDialog({ again = null }: { readonly again?: RunAgain | null }) {
  const choices = useStartChoices();
  return choices === null ? null : <StartRun choices={choices} again={again} />;
}

/** The base of a new run; null until it is known, and if there is none. */
function useRunBase(): RunBaseView | null {
  const reconnects = useReconnects();
  // The start itself says what is wrong.
  return shownValue(useLoaded(`${reconnects}`, () => client.run.base()));
}

interface StartRunProps {
  readonly choices: StartChoicesView;
  readonly again: RunAgain | null;
}

function StartRun({ choices, again }: StartRunProps) {
  const [draft] = useState(() => (again === null ? runDraft() : null));
  const needsKey = useHost((state) => state.app?.key.source === "none");
  const words = useRunDraft(again, draft);
  const { goal, setGoal, onto, setOnto, idea, setIdea } = words;
  const { limits, fields } = useLimitFields(choices.last?.limits ?? choices.limits);
  const [orchestrators, setOrchestrators] = useState<number | null>(null);
  const [iterations, setIterations] = useState<number | null>(null);
  const form = useStartForm(choices, draft?.isQuick ?? null);
  const attachments = useAttachments();
  const issue = useIssue(words);
  const base = useRunBase();
  const defaultBase = base?.standsOn ?? base?.trunk;
  const { isQuick, attempts } = form;
  const forecast = useForecast();
  const agent = form.models.agent ?? choices.models.agent;
  const seesNoPictures = whyNot(agentOfChoice(choices, agent), "images");
  const isReady = goal.trim() !== "" && limits !== null;
  const { isBusy, start } = useStart(
    isReady
      ? {
          ...form.input(),
          goal: goal.trim(),
          orchestrators: isQuick ? null : orchestrators,
          maxTokens: limits.tokens,
          maxMicroDollars: limits.microDollars,
          onto: onto.trim() === "" ? null : onto.trim(),
          rehearsal: null,
          ...(iterations === null ? {} : { maxIterations: iterations }),
          ...issueInput(issue.issue, attachments.input()),
          ...(idea === null ? {} : { idea }),
        }
      : null,
    words.onStarted,
  );
  const leave = (): void => {
    words.onClosed();
    closeDialog();
  };

  return (
    <Dialog
      open
      onClose={leave}
      title={again === null ? "Start a run" : "Run again"}
      description={again === null ? firstRunHint : againHint}
      width="w-[640px]"
      actions={
        <>
          <div className="min-w-0 flex-1 self-center">
            <ForecastLine forecast={forecast} model={agent} />
          </div>
          <Button onClick={leave}>Cancel</Button>
          <Button look="primary" disabled={!isReady || needsKey || isBusy} onClick={start}>
            {isBusy ? "Starting…" : "Start"}
          </Button>
        </>
      }
    >
      <form
        className="flex flex-col gap-2.5"
        onSubmit={(event) => {
          event.preventDefault();
          start();
        }}
        // From every field.
        onKeyDown={(event) => matches(event, "mod+Enter") && start()}
      >
        {needsKey && <KeyNeeded />}
        <UntrustedSettings settings={choices.untrusted} />
        <OtherRuns />
        <HowToRun isQuick={isQuick} onQuick={form.setIsQuick} />
        <GoalField goal={goal} onGoal={setGoal} onFiles={(files) => void attachments.add(files)} />
        <GoalTools goal={goal} onGoal={setGoal} attachments={attachments} issue={issue} />
        {seesNoPictures !== null && attachments.attached.some(({ kind }) => kind === "picture") && (
          <p className="text-sm text-warning">{seesNoPictures}</p>
        )}
        <PatternSuggestions goal={goal} />
        {again === null && (
          <IdeasField
            goal={goal}
            chosen={idea}
            onChoose={(chosen) => {
              setIdea(chosen.id);
              setGoal(goalOfIdea(chosen));
            }}
          />
        )}
        <div className="grid grid-cols-5 gap-3">
          {fields}
          <CountField
            label="Max iterations"
            hint={`Per agent; empty: ${choices.maxIterations}`}
            value={iterations}
            max={1_000}
            onChange={setIterations}
            isRequired={false}
          />
          <CountField
            label="Attempts"
            hint={attempts === 1 ? "Per task" : "You choose one; all are paid"}
            value={attempts}
            max={maxAttempts}
            onChange={(count) => count !== null && form.setAttempts(count)}
          />
          {!isQuick && (
            <CountField
              label="Orchestrators"
              hint="Empty: any number"
              value={orchestrators}
              max={32}
              onChange={setOrchestrators}
              isRequired={false}
            />
          )}
        </div>
        <ValidatorsField choices={choices} forecasts={shownValue(forecast)?.validators ?? []} {...form} />
        <RoleModels choices={choices} {...form} onModel={form.setModel} onEffort={form.setEffort} />
        <PlacesField on={form.on} onChange={form.setOn} />
        {base !== null && <BuildsOn runBase={base} onto={onto} onOnto={setOnto} />}
        <Field
          label="Build on"
          hint={`A branch, or a revset that names one change. Empty: ${defaultBase ?? "the trunk, or your current change"}.`}
        >
          <TextInput
            className="font-mono"
            value={onto}
            placeholder={defaultBase ?? "main"}
            onChange={(event) => setOnto(event.target.value)}
          />
        </Field>
      </form>
    </Dialog>
  );
}

const askAfterMs = 350;

/** Asked when the typing rests; what was found stays until there is another answer. */
function useSuggestions(goal: string): Loaded<readonly PatternSuggestion[]> {
  const words = useAtRest(goal.trim(), askAfterMs);
  const reconnects = useReconnects();
  return useLoaded(`${reconnects} ${words}`, async () =>
    words === "" ? [] : client.pattern.suggest({ goal: words }),
  );
}

/** What earlier runs taught about such a goal: the run will be told it, with nothing to do for it. */
function PatternSuggestions({ goal }: { readonly goal: string }) {
  const loaded = useSuggestions(goal);
  if (loaded.kind === "failed")
    return (
      <p className="text-sm text-danger" role="alert">
        Patterns could not be read: {loaded.failure.text}
      </p>
    );
  const patterns = shownValue(loaded) ?? [];
  if (patterns.length === 0) return null;
  return (
    <section aria-label="Suggested patterns" className="flex flex-col gap-1">
      <h3 className="text-sm font-medium text-muted">
        Learned in earlier runs, added to this run <span className="tabular-nums">· {patterns.length}</span>
      </h3>
      <ul className="max-h-44 overflow-y-auto rounded-md border">
        {patterns.map((pattern) => (
          <Suggestion key={pattern.id} pattern={pattern} />
        ))}
      </ul>
    </section>
  );
}

function Suggestion({ pattern }: { readonly pattern: PatternSuggestion }) {
  const { id, title, category, confidence, gist, why, uses } = pattern;
  return (
    <li className="border-b last:border-b-0" data-suggested={id}>
      <button
        type="button"
        onClick={() => openPattern(id)}
        title={shownLine(gist)}
        className="group flex w-full items-center gap-2 px-2 py-1.5 text-left outline-offset-[-2px] hover:bg-hover"
      >
        <BookOpen size={13} className="shrink-0 self-start text-faint" style={{ marginTop: 3 }} aria-hidden />
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline gap-2">
            <span className="min-w-0 truncate font-medium">{shownLine(title)}</span>
            <span className="shrink-0 text-xs text-faint tabular-nums">
              {category} · {confidence.toFixed(2)}
            </span>
          </span>
          <span className="block truncate text-xs text-muted">{why.map(shownLine).join(" · ")}</span>
          <span className="block truncate text-xs text-faint">{formatUses(uses)}</span>
        </span>
        <ChevronRight size={13} className="shrink-0 text-faint" aria-hidden />
      </button>
    </li>
  );
}

/** What is built on and landed on where nothing else is said, and the choice that a user may want. */
function BuildsOn({
  runBase: { standsOn, trunk, base, leftOut },
  onto,
  onOnto,
}: {
  readonly runBase: RunBaseView;
  readonly onto: string;
  readonly onOnto: (onto: string) => void;
}) {
  const wish = onto.trim();
  if (standsOn !== null && (trunk === null || trunk === standsOn))
    return <p className="text-sm text-muted">Builds and lands on {standsOn}, your current branch.</p>;
  if (standsOn !== null && trunk !== null)
    return (
      <div className="flex flex-wrap items-center gap-2 text-sm text-muted">
        <span>Builds and lands on</span>
        <Segmented
          label="Branch"
          value={wish === trunk ? trunk : wish === "" ? standsOn : ""}
          onChange={(branch) => onOnto(branch === standsOn ? "" : branch)}
          options={[
            { value: standsOn, label: `${standsOn} (you are on it)` },
            { value: trunk, label: trunk },
          ]}
        />
      </div>
    );
  if (base === null) return null;
  const lands = trunk === null ? "You choose where it lands." : `Lands on ${trunk}.`;
  if (leftOut === null)
    return (
      <p className="text-sm text-muted">
        Builds on {titleOf(base)}. {lands}
      </p>
    );
  const own = leftOut.changeId.slice(0, 12);
  return (
    <div className="flex flex-col gap-2 text-sm text-muted">
      <div className="flex flex-wrap items-center gap-2">
        <span>Builds on</span>
        <Segmented
          label="Build on"
          value={wish === "" ? "base" : wish === own ? "own" : ""}
          onChange={(choice) => onOnto(choice === "own" ? own : "")}
          options={[
            { value: "base", label: trunk ?? titleOf(base) },
            { value: "own", label: "current change" },
          ]}
        />
      </div>
      <p>
        You are on {titleOf(leftOut)}, which is not in {trunk ?? titleOf(base)}. {lands}
      </p>
    </div>
  );
}

const titleOf = ({ title, changeId }: BaseCommitView): string =>
  shownLine(startOf(title === "" ? changeId.slice(0, 12) : `“${title}”`, 60));

/** @param wanted null: it cannot be started as it is */
function useStart(wanted: CommandInput<"run.start"> | null, onStarted: () => void) {
  const [isBusy, attempt] = useAttempt();
  const start = (): void => {
    if (wanted === null) return;
    void attempt("The run did not start", async () => {
      showRun((await client.run.start(wanted)).run);
      onStarted();
      closeDialogOf("start-run", "run-again");
    });
  };
  return { isBusy, start };
}

const firstRunHint = "Agents work in separate changes. Your branches do not change until you land.";
const againHint =
  "Plans the remaining work on top of the last run’s result. You approve the plan before any agent starts.";

const KeyNeeded = () => (
  <div className="rounded-md bg-warning-soft px-3 py-2 text-warning" role="alert">
    A run needs an API key.{" "}
    <button type="button" className="underline" onClick={() => openDialog("settings")}>
      Add one in the settings
    </button>
    , or watch the rehearsal, which needs none.
  </div>
);
