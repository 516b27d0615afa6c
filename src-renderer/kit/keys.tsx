import { shownKeys } from "./keyboard.ts";

/** A key combination such as `mod+k`, drawn as this platform writes it. */
export function Keys({ keys }: { readonly keys: string }) {
  return (
    <kbd className="inline-flex gap-0.5 font-sans text-xs text-faint">
      {shownKeys(keys).map((key) => (
        <span
          key={key}
          className="inline-flex h-[18px] min-w-[18px] items-center justify-center rounded-sm border bg-sunken px-1"
        >
          {key}
        </span>
      ))}
    </kbd>
  );
}
