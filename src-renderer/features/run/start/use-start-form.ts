import { useState } from "react";
import type {
  EffortByRole,
  ModelsByRole,
  StartChoicesView,
  StartRole,
} from "#shared/contract/commands/start.ts";
import type { Effort } from "#shared/domain/conversation/conversation.ts";
import type { RunAgain } from "#shared/domain/run/away-summary.ts";
import { client } from "../../../client.ts";
import { forgetRunDraft, type RunDraft, useDraft } from "../../../state/drafts.ts";
import { useHost } from "../../../state/host-store.ts";
import { shownValue, useLoaded, useReconnects } from "../../../state/use-loaded.ts";
import type { ChosenIssue } from "./issue-field.tsx";

/** What is kept of a choice that says the same as the configuration: nothing. */
function without<Value>(
  values: Readonly<Partial<Record<StartRole, Value>>>,
  role: StartRole,
): Readonly<Partial<Record<StartRole, Value>>> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => name !== role));
}

/**
 * How the run is done; the choices of the last run are preset.
 * @param wantsQuick what the caller suggests; null: no preference
 */
export function useStartForm(choices: StartChoicesView, wantsQuick: boolean | null) {
  const { last } = choices;
  const [isQuick, setIsQuick] = useState(wantsQuick ?? last?.isQuick ?? choices.isQuick);
  const [on, setOn] = useState(choices.on);
  const [attempts, setAttempts] = useState(last?.attempts ?? 1);
  const [validators, setValidators] = useState(
    choices.panel.mode === "auto" && choices.panel.count > 1 ? last?.validators : undefined,
  );
  const [models, setModels] = useState<ModelsByRole>(() => keptModels(choices));
  const [effortByRole, setEfforts] = useState<EffortByRole>(last?.efforts ?? {});
  return {
    isQuick,
    setIsQuick,
    on,
    setOn,
    attempts,
    setAttempts,
    validators,
    setValidators,
    models,
    effortByRole,
    setModel(role: StartRole, model: string): void {
      setModels((before) =>
        model === choices.models[role] ? without(before, role) : { ...before, [role]: model },
      );
    },
    setEffort(role: StartRole, effort: Effort | null): void {
      setEfforts((before) => (effort === null ? without(before, role) : { ...before, [role]: effort }));
    },
    /** As the run takes them. */
    input() {
      const { agent = null, ...others } = models;
      return {
        model: agent,
        quick: isQuick,
        ...(on === choices.on ? {} : { on }),
        attempts,
        ...(isQuick || validators === undefined ? {} : { validators }),
        ...(isQuick || Object.keys(others).length === 0 ? {} : { models: others }),
        ...(Object.keys(effortByRole).length === 0 ? {} : { efforts: effortByRole }),
      };
    },
  };
}

/** Those of the last run that are not as configured, and that can still be paid for. */
function keptModels({ last, models, known }: StartChoicesView): ModelsByRole {
  return Object.fromEntries(
    Object.entries(last?.models ?? {}).filter(
      ([role, model]) => model !== models[role as StartRole] && known.some(({ name }) => name === model),
    ),
  );
}

/**
 * The texts a run starts with: kept when the dialog closes, until a run was started with them.
 * @param again the run that is done once more
 * @param asked what another part of the window asks for; each has separate words
 */
export function useRunDraft(again: RunAgain | null, asked: RunDraft | null) {
  const repository = useHost((state) => state.repository?.path ?? "");
  const begun = { goal: (again ?? asked)?.goal ?? "", onto: (again ?? asked)?.onto ?? "" };
  const place = ["run", again === null ? "first" : "again", repository, begun.onto, begun.goal].join("\n");
  const [goal, setGoal, takeGoal] = useDraft(`${place}\ngoal`, begun.goal);
  const [onto, setOnto, takeOnto] = useDraft(`${place}\nonto`, begun.onto);
  const [idea, setIdea, takeIdea] = useDraft<string | null>(`${place}\nidea`, null);
  const [issue, setIssue, takeIssue] = useDraft<ChosenIssue | null>(`${place}\nissue`, null);
  const takeOut = (): void => {
    takeIssue(issue);
    takeGoal(goal);
    takeOnto(onto);
    takeIdea(idea);
  };
  return {
    ...{ goal, setGoal, onto, setOnto, idea, setIdea, issue, setIssue },
    /** A run was started with them. */
    onStarted(): void {
      takeOut();
      if (asked === null) return;
      asked.onStarted?.();
      forgetRunDraft();
    },
    /** Closed without a goal, nothing is kept; a requested text is requested again, unless the user edited it. */
    onClosed(): void {
      if (goal.trim() === "") takeOut();
      if (asked !== null && (goal.trim() === "" || goal === begun.goal)) forgetRunDraft();
    },
  };
}

/** What there is to choose; null until it is known. */
export function useStartChoices(): StartChoicesView | null {
  const reconnects = useReconnects();
  // Without an engine nothing can be started, and the start itself says why.
  const loaded = useLoaded(`${reconnects}`, () => client.start.choices().catch(withoutEngine));
  return shownValue(loaded);
}

function withoutEngine(): StartChoicesView {
  const {
    defaultTokens = null,
    defaultMicroDollars = null,
    model = "",
  } = useHost.getState().app?.settings ?? {};
  return {
    limits: { tokens: defaultTokens, microDollars: defaultMicroDollars },
    maxIterations: 20,
    isQuick: false,
    on: "",
    panel: { mode: "auto", count: 4, threshold: null, strategy: "dedicated_validators", models: [] },
    models: { orchestrator: model, agent: model, integrator: model, validator: model },
    efforts: { orchestrator: null, agent: null, integrator: null, validator: null },
    agents: [],
    known: [],
    last: null,
    untrusted: [],
  };
}
