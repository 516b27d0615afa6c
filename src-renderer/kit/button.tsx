import type { ComponentProps, ReactNode } from "react";
import { cx } from "./class-names.ts";
import { Tooltip } from "./tooltip.tsx";

type ButtonLook = "primary" | "secondary" | "ghost" | "danger";

const looks: Record<ButtonLook, string> = {
  primary: "bg-accent text-on-accent hover:bg-accent-strong border-transparent font-medium",
  secondary: "bg-surface text-text hover:bg-hover border-line-strong",
  ghost: "bg-transparent text-muted hover:bg-hover hover:text-text border-transparent",
  danger: "bg-surface text-danger hover:bg-danger-soft border-line-strong",
};

const sizes = { sm: "h-6 px-2 text-sm", md: "h-7 px-2.5 text-base", lg: "h-9 px-4 text-base" };

export interface ButtonProps extends ComponentProps<"button"> {
  readonly look?: ButtonLook;
  readonly size?: keyof typeof sizes;
}

export function Button({
  look = "secondary",
  size = "md",
  className,
  type = "button",
  ...rest
}: ButtonProps) {
  return (
    <button
      type={type}
      className={cx(
        "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md border whitespace-nowrap transition-colors duration-100",
        "disabled:pointer-events-none disabled:opacity-45 focus-visible:outline-offset-1",
        looks[look],
        sizes[size],
        className,
      )}
      {...rest}
    />
  );
}

/** A button that reads as a link: it leads to what it names. */
export const LinkButton = ({ className, ...rest }: ComponentProps<"button">) => (
  <button
    type="button"
    className={cx("rounded-sm text-left text-accent-text enabled:hover:underline", className)}
    {...rest}
  />
);

interface IconButtonProps extends Omit<ComponentProps<"button">, "children"> {
  /** Said by screen readers and shown on hover. */
  readonly label: string;
  readonly keys?: string;
  readonly icon: ReactNode;
  readonly pressed?: boolean;
}

export function IconButton({ label, keys, icon, pressed, className, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label} {...(keys ? { keys } : {})}>
      <button
        type="button"
        aria-label={label}
        {...(pressed === undefined ? {} : { "aria-pressed": pressed })}
        className={cx(
          // Of two sizes the style sheet takes the larger one, whichever is named last.
          !className?.includes("size-") && "size-7",
          "inline-flex shrink-0 items-center justify-center rounded-md text-muted transition-colors duration-100 hover:bg-hover hover:text-text",
          "disabled:pointer-events-none disabled:opacity-40",
          pressed && "bg-hover text-text",
          className,
        )}
        {...rest}
      >
        {icon}
      </button>
    </Tooltip>
  );
}
