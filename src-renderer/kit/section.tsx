import type { ComponentProps, ReactNode } from "react";
import { cx } from "./class-names.ts";

interface SectionProps extends Omit<ComponentProps<"section">, "title"> {
  readonly title: string;
  /** Beside the title. */
  readonly aside?: ReactNode;
  /** Below the title. */
  readonly hint?: ReactNode;
}

/** A part of a panel, below its title. */
export const Section = ({ title, aside, hint, children, ...rest }: SectionProps) => (
  <section aria-label={title} {...rest}>
    <h3 className="mb-1 flex items-baseline justify-between gap-2 text-sm font-medium text-muted">
      {title} {aside}
    </h3>
    {hint && <p className="-mt-1 mb-1.5 text-xs text-pretty text-faint">{hint}</p>}
    {children}
  </section>
);

export type Term = readonly [name: string, value: ReactNode, title?: string];

interface TermsProps {
  readonly terms: readonly Term[];
  /** Values that are figures, at the right edge. */
  readonly areFigures?: boolean;
}

/** Names with their values; a term without a value is left out. */
export const Terms = ({ terms, areFigures = false }: TermsProps) => (
  <dl
    className={cx(
      "grid items-center gap-y-1 text-sm",
      areFigures ? "grid-cols-[1fr_auto]" : "grid-cols-[92px_1fr]",
    )}
  >
    {terms.map(([name, value, title]) =>
      value == null || value === false ? null : (
        <div key={name} className="contents" title={title}>
          <dt className={areFigures ? "text-muted" : "text-faint"} title={title}>
            {name}
          </dt>
          <dd
            className={cx(
              "min-w-0",
              typeof value !== "object" && "truncate",
              areFigures && "text-right tabular-nums",
            )}
            title={areFigures ? undefined : title}
            data-selectable={areFigures ? undefined : true}
          >
            {value}
          </dd>
        </div>
      ),
    )}
  </dl>
);
