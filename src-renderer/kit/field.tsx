import type { ComponentProps, ReactNode } from "react";
import { useId } from "react";
import { hiddenSigns } from "#shared/domain/text/shown-text.ts";
import { cx } from "./class-names.ts";

const box =
  "w-full rounded-md border border-line-strong bg-surface px-2 text-base text-text placeholder:text-faint outline-none focus-visible:border-accent focus-visible:outline-2 focus-visible:outline-offset-[-1px] aria-invalid:border-danger";

export function TextInput({ className, ...rest }: ComponentProps<"input">) {
  return (
    <>
      <input spellCheck={false} autoComplete="off" className={cx(box, "h-7", className)} {...rest} />
      <HiddenSigns text={rest.value ?? rest.defaultValue} />
    </>
  );
}

export function TextArea({ className, ...rest }: ComponentProps<"textarea">) {
  return (
    <>
      <textarea className={cx(box, "min-h-16 py-1.5", className)} {...rest} />
      <HiddenSigns text={rest.value ?? rest.defaultValue} />
    </>
  );
}

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
  readonly children: (ids: { readonly id: string; readonly "aria-describedby": string }) => ReactNode;
}

/** A label, its control, and below it what is wrong or what helps. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium text-muted">
        {label}
      </label>
      {children({ id, "aria-describedby": `${id}-hint` })}
      <div id={`${id}-hint`} className={cx("text-sm", error ? "text-danger" : "text-faint")}>
        {error ?? hint}
      </div>
    </div>
  );
}
