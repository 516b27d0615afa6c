import type { ComponentProps } from "react";
import { cx } from "../../kit/class-names.ts";

interface ConflictButtonProps extends Omit<ComponentProps<"button">, "title" | "type"> {
  /** The label of the button. */
  readonly label: string;
}

/** Opens a conflict from its place on the canvas. */
export const ConflictButton = ({ label, className, ...rest }: ConflictButtonProps) => (
  <button
    type="button"
    tabIndex={-1}
    aria-label={label}
    title={label}
    className={cx(
      "pointer-events-auto absolute h-[18px] rounded-full border border-danger bg-danger-soft px-1.5 text-xs leading-none font-medium whitespace-nowrap text-danger",
      className,
    )}
    {...rest}
  />
);
