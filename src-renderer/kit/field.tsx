import { Field as Base } from "@base-ui/react/field";
import { NumberField } from "@base-ui/react/number-field";
import { Minus, Plus, Search } from "lucide-react";
import { type ComponentProps, type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { hiddenSigns } from "#shared/domain/text/shown-text.ts";
import { parseDollars, parseTokens } from "./amounts.ts";
import { cx } from "./class-names.ts";
import { matches } from "./key-table.ts";

const frame =
  "w-full rounded-md border border-line-strong bg-surface text-base text-text placeholder:text-faint outline-none focus-visible:border-accent focus-visible:outline-2 focus-visible:outline-offset-[-1px] aria-invalid:border-danger";
const box = `${frame} px-2`;

// Elements are written here, not by the library, so that JSX makes hidden characters of a placeholder visible.
export function TextInput({ className, ...rest }: ComponentProps<"input">) {
  return (
    <>
      <Base.Control
        render={
          <input spellCheck={false} autoComplete="off" className={cx(box, "h-7", className)} {...rest} />
        }
      />
      <HiddenSigns text={rest.value ?? rest.defaultValue} />
    </>
  );
}

interface TextAreaProps extends ComponentProps<"textarea"> {
  /** Mod+Enter. */
  readonly onSend?: () => unknown;
  /** Escape, which then closes nothing around it. */
  readonly onCancel?: () => void;
}

interface SearchInputProps extends Omit<ComponentProps<"input">, "onChange"> {
  readonly value: string;
  readonly onSearch: (value: string) => void;
}

/** Escape empties it, and only then closes what is around it. */
export const SearchInput = ({ value, onSearch, onKeyDown, className, ...rest }: SearchInputProps) => (
  <span className={cx("relative flex items-center", className)}>
    <Search size={13} className="pointer-events-none absolute left-2 text-faint" aria-hidden />
    <TextInput
      type="search"
      className="pl-7"
      value={value}
      onChange={(event) => onSearch(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || value === "") return onKeyDown?.(event);
        event.preventDefault();
        event.stopPropagation();
        onSearch("");
      }}
      {...rest}
    />
  </span>
);

export function TextArea({ className, onSend, onCancel, ...rest }: TextAreaProps) {
  const keys = (onSend || onCancel) && {
    onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
      if (event.key === "Escape" && onCancel) onCancel();
      else if (matches(event, "mod+Enter") && onSend) onSend();
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
  };
  return (
    <>
      <Base.Control
        render={<textarea className={cx(box, "min-h-16 py-1.5", className)} {...keys} {...rest} />}
      />
      <HiddenSigns text={rest.value ?? rest.defaultValue} />
    </>
  );
}

export const SelectInput = ({ className, ...rest }: ComponentProps<"select">) => (
  <Base.Control render={<select className={cx(box, "h-7", className)} {...rest} />} />
);

/** What is edited stays as it is, so its signs without a shape are named: some turn the direction of a text around. */
function HiddenSigns({ text }: { readonly text: unknown }) {
  const hidden = typeof text === "string" ? hiddenSigns(text) : [];
  return hidden.length === 0 ? null : (
    <p role="note" className="text-sm text-danger">
      Contains hidden characters: {hidden.slice(0, 5).join(" ")}
      {hidden.length > 5 ? " …" : ""}
    </p>
  );
}

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | null;
  /** One control of this file. */
  readonly children: ReactNode;
}

/** A label, its control, and below it what is wrong or what helps. */
export const Field = ({ label, hint, error = null, children }: FieldProps) => (
  <Base.Root invalid={error !== null} className="flex flex-col gap-1">
    <Base.Label className="text-sm font-medium text-muted">{label}</Base.Label>
    {children}
    {error !== null ? (
      <Base.Error match className="text-sm text-danger">
        {error}
      </Base.Error>
    ) : (
      hint !== undefined && <Base.Description className="text-sm text-faint">{hint}</Base.Description>
    )}
  </Base.Root>
);

interface RadioGroupProps<Value extends string> {
  /** Of the group, for screen readers. */
  readonly label: ReactNode;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: ReactNode }[];
  readonly onChange: (value: Value) => void;
}

/** A choice of one among a few, each with words of its own. */
export function RadioGroup<Value extends string>({
  label,
  value,
  options,
  onChange,
}: RadioGroupProps<Value>) {
  const name = useId();
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 text-sm font-medium text-muted">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className="flex items-start gap-2">
          <input
            type="radio"
            name={name}
            className="mt-1 accent-[var(--accent)]"
            checked={value === option.value}
            onChange={() => onChange(option.value)}
          />
          <span className="min-w-0 flex-1">{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface CountFieldProps extends Omit<FieldProps, "children" | "error"> {
  /** Null: the field is empty. */
  readonly value: number | null;
  readonly max: number;
  readonly onChange: (value: number | null) => void;
  readonly isRequired?: boolean;
}

const wholeNumber = { maximumFractionDigits: 0, useGrouping: false } as const;
const stepButton =
  "flex w-6 shrink-0 items-center justify-center text-muted hover:bg-hover disabled:opacity-40";

/** A whole number from 1 to `max`, typed or stepped by buttons and arrow keys. */
export const CountField = ({ value, max, onChange, isRequired = true, ...field }: CountFieldProps) => (
  <Field {...field} error={isRequired && value === null ? `A number from 1 to ${max}` : null}>
    <NumberField.Root value={value} onValueChange={onChange} min={1} max={max} format={wholeNumber}>
      <NumberField.Group className={cx(frame, "flex h-7 overflow-hidden focus-within:border-accent")}>
        <NumberField.Input className="min-w-0 flex-1 bg-transparent px-2 outline-none" />
        <NumberField.Decrement className={stepButton}>
          <Minus size={12} aria-hidden />
        </NumberField.Decrement>
        <NumberField.Increment className={stepButton}>
          <Plus size={12} aria-hidden />
        </NumberField.Increment>
      </NumberField.Group>
    </NumberField.Root>
  </Field>
);

interface LimitsTyped {
  /** What was typed as limits; null while one of them is not an amount. */
  readonly limits: { readonly tokens: number | null; readonly microDollars: number | null } | null;
  readonly fields: React.ReactNode;
}

interface LimitsBefore {
  readonly tokens: number | null;
  readonly microDollars: number | null;
}

/** Two fields for the limits of a budget, in dollars and in tokens; an empty one is no limit. */
export function useLimitFields({ tokens, microDollars }: LimitsBefore): LimitsTyped {
  const [money, setMoney] = useState(microDollars === null ? "" : String(microDollars / 1_000_000));
  const [count, setCount] = useState(tokens === null ? "" : String(tokens));
  const typedMoney = parseDollars(money);
  const typedCount = parseTokens(count);
  return {
    limits:
      typedMoney === undefined || typedCount === undefined
        ? null
        : { tokens: typedCount, microDollars: typedMoney },
    fields: (
      <>
        <Field
          label="Cost limit ($)"
          hint="Leave empty for no limit"
          error={typedMoney === undefined ? "An amount such as 5 or 2.50" : null}
        >
          <TextInput inputMode="decimal" value={money} onChange={(event) => setMoney(event.target.value)} />
        </Field>
        <Field
          label="Token limit"
          hint="Leave empty for no limit"
          error={typedCount === undefined ? "A count such as 200k" : null}
        >
          <TextInput value={count} onChange={(event) => setCount(event.target.value)} />
        </Field>
      </>
    ),
  };
}
