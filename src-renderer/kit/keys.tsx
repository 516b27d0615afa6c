import { cx } from "./class-names.ts";
import { shownKeys } from "./key-table.ts";

interface KeysProps {
  readonly keys: string;
  /** On a button of the accent's colour. */
  readonly isOnAccent?: boolean;
}

/** A key combination such as `mod+k`, drawn as this platform writes it. */
export function Keys({ keys, isOnAccent = false }: KeysProps) {
  return (
    <kbd
      className={cx("inline-flex gap-0.5 font-sans text-xs", isOnAccent ? "text-on-accent" : "text-faint")}
    >
      {shownKeys(keys).map((key) => (
        <span
          key={key}
          className={cx(
            "inline-flex h-[18px] min-w-[18px] items-center justify-center rounded-sm border px-1",
            isOnAccent ? "border-on-accent/45" : "bg-sunken",
          )}
        >
          {key}
        </span>
      ))}
    </kbd>
  );
}
