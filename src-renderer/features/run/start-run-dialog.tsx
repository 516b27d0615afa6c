import { useEffect, useState } from "react";
import type { RunBaseView } from "#shared/contract/views/landing.ts";
import { goalOfIdea } from "#shared/domain/archangel/idea-goal.ts";
import type { RunAgain } from "#shared/domain/run/run-again.ts";
import type { Budget } from "#shared/domain/spending/budget.ts";
import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Field, TextArea, TextInput } from "../../kit/field.tsx";
import { useLimitFields } from "../../kit/limit-fields.tsx";
import { Segmented } from "../../kit/segmented.tsx";
import { useHost } from "../../state/host-store.ts";
import { attempt } from "../../state/notice-store.ts";
import { closeDialog, openDialog } from "../../state/selection-store.ts";
import { BuildsOn } from "./builds-on.tsx";
import { IdeasField } from "./ideas-field.tsx";
import { PatternSuggestions } from "./pattern-suggestions.tsx";

/** Asks for a goal and its limits, or for those of a run that came to nothing. Nothing is spent before the plan is on screen. */
export function StartRunDialog({ again = null }: { readonly again?: RunAgain | null }) {
  const configured = useConfiguredLimits();
  return configured === null ? null : <StartRun configured={configured} again={again} />;
}

/** What a run may spend here unless the person says otherwise: the repository may say it, and else the app does. */
function useConfiguredLimits(): Budget | null {
  const [limits, setLimits] = useState<Budget | null>(null);
  useEffect(() => {
    let shown = true;
    const take = (found: Budget): void => {
      if (shown) setLimits(found);
    };
    client.run.limitsToStartWith().then(take, () => {
      // Without an engine nothing can be started, and the start itself says why.
      const { defaultTokens = null, defaultMicroDollars = null } = useHost.getState().app?.settings ?? {};
      take({ tokens: defaultTokens, microDollars: defaultMicroDollars });
    });
    return () => {
      shown = false;
    };
  }, []);
  return limits;
}

/** Where a run would stand; null until it is known, and where it cannot be. */
function useGround(): RunBaseView | null {
  const [ground, setGround] = useState<RunBaseView | null>(null);
  useEffect(() => {
    let shown = true;
    client.run.ground().then(
      (found) => {
        if (shown) setGround(found);
      },
      // The start itself says what is wrong.
      () => undefined,
    );
    return () => {
      shown = false;
    };
  }, []);
  return ground;
}

/** What was typed when a pattern was looked at in between. */
let keptGoal = "";

const keepGoal = (goal: string): void => {
  keptGoal = goal;
};

function leave(): void {
  keepGoal("");
  closeDialog();
}

function StartRun({ configured, again }: { readonly configured: Budget; readonly again: RunAgain | null }) {
  const needsKey = useHost((state) => state.app?.key.source === "none");
  const [goal, setGoal] = useState(again?.goal ?? keptGoal);
  const { limits, fields } = useLimitFields(configured);
  const orchestrators = useOrchestratorField();
  const [idea, setIdea] = useState<string | null>(null);
  const [isQuick, setIsQuick] = useState(false);
  const [onto, setOnto] = useState(again?.onto ?? "");
  const [busy, setBusy] = useState(false);
  const ground = useGround();
  const valid = goal.trim() !== "" && limits !== null && orchestrators.valid;

  const start = async (): Promise<void> => {
    if (!valid || limits === null || busy) return;
    setBusy(true);
    const started = await attempt("The run did not start", () =>
      client.run.start({
        goal: goal.trim(),
        orchestrators: isQuick ? null : orchestrators.wanted,
        maxTokens: limits.tokens,
        maxMicroDollars: limits.microDollars,
        onto: onto.trim() === "" ? null : onto.trim(),
        rehearsal: null,
        model: null,
        quick: isQuick,
        ...(idea === null ? {} : { idea }),
      }),
    );
    setBusy(false);
    if (started) leave();
  };

  return (
    <Dialog
      open
      onClose={leave}
      title={again === null ? "Start a run" : "Run again"}
      description={again === null ? firstWords : againWords}
      width="w-[560px]"
      actions={<StartButtons isBusy={busy} isReady={valid && !needsKey} onStart={() => void start()} />}
    >
      <form
        className="flex flex-col gap-2.5"
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) void start();
        }}
      >
        {needsKey && <KeyNeeded />}
        <HowToRun isQuick={isQuick} onQuick={setIsQuick} />
        <GoalField goal={goal} onGoal={setGoal} />
        <PatternSuggestions goal={goal} onLeave={() => keepGoal(again === null ? goal : "")} />
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
        <div className="grid grid-cols-3 gap-3">
          {fields}
          {!isQuick && orchestrators.field}
        </div>
        {ground !== null && <BuildsOn ground={ground} onto={onto} onOnto={setOnto} />}
        <OntoField ground={ground} onto={onto} onOnto={setOnto} />
      </form>
    </Dialog>
  );
}

interface StartButtonsProps {
  readonly isBusy: boolean;
  readonly isReady: boolean;
  readonly onStart: () => void;
}

const StartButtons = ({ isBusy, isReady, onStart }: StartButtonsProps) => (
  <>
    <Button onClick={leave}>Cancel</Button>
    <Button look="primary" disabled={!isReady || isBusy} onClick={onStart}>
      {isBusy ? "Starting…" : "Start"}
    </Button>
  </>
);

const firstWords =
  "The root orchestrator reads the repository and proposes a plan. You approve it before any agent works.";
const againWords =
  "A new plan for what is still missing, on what the last run brought together. You approve it before any agent works.";

/** With a plan, or one agent at once. */
const HowToRun = ({
  isQuick,
  onQuick,
}: {
  readonly isQuick: boolean;
  readonly onQuick: (isQuick: boolean) => void;
}) => (
  <div className="flex flex-col gap-1">
    <Segmented
      label="How to run"
      value={isQuick ? "quick" : "planned"}
      onChange={(how) => onQuick(how === "quick")}
      options={[
        { value: "planned", label: "With a plan" },
        { value: "quick", label: "Quick: one agent" },
      ]}
    />
    <p className="text-sm text-muted">
      {isQuick
        ? "One agent begins at once. No plan to approve and no votes: its checks run, you look at the diff and land it."
        : "A plan is proposed first, and you approve it. Several agents then work at once."}
    </p>
  </div>
);

const KeyNeeded = () => (
  <div className="rounded-md bg-warning-soft px-3 py-2 text-warning" role="alert">
    A run needs an API key.{" "}
    <button type="button" className="underline" onClick={() => openDialog("settings")}>
      Add one in the settings
    </button>
    , or watch the rehearsal, which needs none.
  </div>
);

function GoalField({ goal, onGoal }: { readonly goal: string; readonly onGoal: (goal: string) => void }) {
  return (
    <Field label="Goal" hint="What should be true of this repository afterwards?">
      {(ids) => (
        <TextArea
          {...ids}
          autoFocus
          rows={4}
          value={goal}
          placeholder="Add user profiles: an API, a client and tests"
          onChange={(event) => onGoal(event.target.value)}
        />
      )}
    </Field>
  );
}

/** How many orchestrators; `wanted` is null where the root may decide. */
function useOrchestratorField() {
  const [typed, setTyped] = useState("");
  const wanted = typed.trim() === "" ? null : Number(typed);
  const valid = wanted === null || (Number.isInteger(wanted) && wanted >= 1 && wanted <= 32);
  const field = (
    <Field
      label="Orchestrators"
      hint="Empty: the root decides"
      error={valid ? null : "A number from 1 to 32"}
    >
      {(ids) => (
        <TextInput
          {...ids}
          inputMode="numeric"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
    </Field>
  );
  return { wanted, valid, field };
}

interface OntoFieldProps {
  readonly ground: RunBaseView | null;
  readonly onto: string;
  readonly onOnto: (onto: string) => void;
}

function OntoField({ ground, onto, onOnto }: OntoFieldProps) {
  const hint = `A branch, or a revset that names one change. Empty: ${ground?.standsOn ?? ground?.trunk ?? "the trunk, or what you work on"}.`;
  return (
    <Field label="Build on" hint={hint}>
      {(ids) => (
        <TextInput
          {...ids}
          className="font-mono"
          value={onto}
          placeholder={ground?.standsOn ?? ground?.trunk ?? "main"}
          onChange={(event) => onOnto(event.target.value)}
        />
      )}
    </Field>
  );
}
