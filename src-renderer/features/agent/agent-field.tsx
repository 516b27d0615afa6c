import type { StartChoicesView } from "#shared/contract/commands/start.ts";
import { Field, TextInput } from "../../kit/field.tsx";
import { useAgentChoices, useModelChecks } from "../../state/agent-choices.ts";

/** The list that a field for a model offers. */
export const knownModels = "known-models";

/** Drawn once in each form that has such a field. */
export const KnownModels = ({ choices }: { readonly choices: Pick<StartChoicesView, "known"> }) => (
  <datalist id={knownModels}>
    {choices.known.map(({ name }) => (
      <option key={name} value={name} />
    ))}
  </datalist>
);

interface AgentFieldProps {
  readonly label: string;
  readonly hint?: string;
  /** "": whoever `placeholder` names. */
  readonly value: string;
  readonly placeholder?: string;
  readonly onChange: (choice: string) => void;
}

/** A model of Hox's own agent, or an agent of another make with one; says when it could not work. */
export function AgentField({ label, hint, value, placeholder, onChange }: AgentFieldProps) {
  const choices = useAgentChoices();
  const choice = value.trim();
  const check = useModelChecks(choice === "" ? [] : [choice])[choice];
  return (
    <>
      <Field label={label} hint={hint} error={check?.outcome === "refused" ? check.words : null}>
        <TextInput
          list={knownModels}
          value={value}
          placeholder={placeholder}
          onChange={(event) => onChange(event.target.value)}
        />
      </Field>
      <KnownModels choices={choices} />
    </>
  );
}
