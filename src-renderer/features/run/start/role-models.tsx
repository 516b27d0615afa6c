import { ChevronRight, CircleAlert, CircleCheck } from "lucide-react";
import { useEffect, useState } from "react";
import {
  type EffortByRole,
  type ModelCheckView,
  type ModelsByRole,
  type StartChoicesView,
  type StartRole,
  startRoles,
} from "#shared/contract/commands/start.ts";
import { type Effort, efforts } from "#shared/domain/conversation/conversation.ts";
import { TextInput } from "../../../kit/field.tsx";
import { agentOfChoice, useModelChecks } from "../../../state/agent-choices.ts";
import { KnownModels, knownModels } from "../../agent/agent-field.tsx";

const roleNames: Readonly<Record<StartRole, string>> = {
  orchestrator: "Planner",
  agent: "Agents",
  integrator: "Integrator",
  validator: "Validators",
};

interface RoleModelsProps {
  readonly choices: StartChoicesView;
  /** A quick run has agents alone. */
  readonly isQuick: boolean;
  readonly models: ModelsByRole;
  readonly effortByRole: EffortByRole;
  readonly onModel: (role: StartRole, model: string) => void;
  readonly onEffort: (role: StartRole, effort: Effort | null) => void;
}

/** Which model each role asks, how hard it tries, and whether the provider has it for this key. */
export function RoleModels({ choices, isQuick, models, effortByRole, onModel, onEffort }: RoleModelsProps) {
  const roles = isQuick ? (["agent"] as const) : startRoles;
  const asked = roles.map((role) => models[role] ?? choices.models[role]);
  const distinct = [...new Set(asked)];
  const checks = useModelChecks(distinct);
  const isRefused = distinct.some((model) => checks[model]?.outcome === "refused");
  const [isOpen, setIsOpen] = useState(false);
  // What is wrong shows itself once; who closes it again means that.
  useEffect(() => {
    if (isRefused) setIsOpen(true);
  }, [isRefused]);
  return (
    <details
      className="group rounded-md border"
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary className="flex h-8 cursor-pointer list-none items-center gap-1.5 rounded-md px-2 text-sm hover:bg-hover">
        <ChevronRight
          size={13}
          className="shrink-0 text-faint transition-transform group-open:rotate-90"
          aria-hidden
        />
        <span className="font-medium text-muted">Models</span>
        <span className="min-w-0 truncate text-muted">{distinct.join(", ")}</span>
        <CheckMark
          check={
            distinct.map((model) => checks[model]).find((one) => one?.outcome !== "ok") ??
            checks[distinct[0] ?? ""]
          }
        />
      </summary>
      <div className="grid grid-cols-[88px_1fr_132px] items-center gap-x-2 gap-y-1.5 px-2 pt-1 pb-2 text-sm">
        {roles.map((role) => (
          <RoleRow
            key={role}
            role={role}
            model={models[role] ?? choices.models[role]}
            effort={effortByRole[role] ?? null}
            choices={choices}
            check={checks[models[role] ?? choices.models[role]]}
            onModel={(model) => onModel(role, model)}
            onEffort={(effort) => onEffort(role, effort)}
          />
        ))}
      </div>
      <KnownModels choices={choices} />
    </details>
  );
}

interface RoleRowProps {
  readonly role: StartRole;
  readonly model: string;
  readonly effort: Effort | null;
  readonly choices: StartChoicesView;
  readonly check: ModelCheckView | undefined;
  readonly onModel: (model: string) => void;
  readonly onEffort: (effort: Effort | null) => void;
}

function RoleRow({ role, model, effort, choices, check, onModel, onEffort }: RoleRowProps) {
  const facts = choices.known.find(({ name }) => name === model);
  const isOther = agentOfChoice(choices, model) !== null;
  const problem =
    // An agent of another make may have a price of its own: the host says whether it can work.
    facts === undefined && choices.known.length > 0 && !isOther
      ? "No price is known for this model. Choose one from the list."
      : check?.outcome === "ok"
        ? null
        : (check?.words ?? null);
  return (
    <>
      <label htmlFor={`model-${role}`} className="text-muted">
        {roleNames[role]}
      </label>
      <TextInput
        id={`model-${role}`}
        list={knownModels}
        value={model}
        aria-invalid={problem !== null && check?.outcome !== "unreachable"}
        aria-describedby={`model-${role}-check`}
        onChange={(event) => onModel(event.target.value)}
      />
      <select
        aria-label={`Effort of ${roleNames[role].toLowerCase()}`}
        value={effort ?? ""}
        disabled={facts !== undefined && !facts.hasEffort}
        onChange={(event) => onEffort(efforts.find((one) => one === event.target.value) ?? null)}
        className="h-7 rounded-md border border-line-strong bg-surface px-1.5 text-text disabled:opacity-45"
      >
        <option value="">
          {facts !== undefined && !facts.hasEffort
            ? "no effort setting"
            : `effort: ${choices.efforts[role] ?? "model default"}`}
        </option>
        {efforts.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
      <p
        id={`model-${role}-check`}
        className={`col-span-2 col-start-2 -mt-1 ${problem === null ? (isOther ? "text-muted" : "sr-only") : check?.outcome === "unreachable" ? "text-warning" : "text-danger"}`}
      >
        {problem ?? check?.words ?? ""}
      </p>
    </>
  );
}

const CheckMark = ({ check }: { readonly check: ModelCheckView | undefined }) =>
  check === undefined ? null : check.outcome === "ok" ? (
    <CircleCheck
      size={13}
      className="shrink-0 text-success"
      role="img"
      aria-label="Available at the provider"
    />
  ) : (
    <CircleAlert
      size={13}
      className={`shrink-0 ${check.outcome === "refused" ? "text-danger" : "text-warning"}`}
      role="img"
      aria-label={check.words}
    />
  );
