import { type ReactNode, useEffect, useRef, useState } from "react";
import { cx } from "./class-names.ts";

interface ScrollBoxProps {
  /** What is in it. */
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** Something long in a little room. It is a stop of the Tab key while there is more of it than fits, so that keys scroll it. */
export function ScrollBox({ label, className, children }: ScrollBoxProps) {
  const box = useRef<HTMLElement>(null);
  const [isCut, setCut] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = (): void => setCut(element.scrollHeight > element.clientHeight);
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    if (element.firstElementChild) observer.observe(element.firstElementChild);
    return () => observer.disconnect();
  }, []);
  return (
    <section
      ref={box}
      aria-label={label}
      tabIndex={isCut ? 0 : undefined}
      className={cx("overflow-auto", className)}
    >
      {children}
    </section>
  );
}

const maxTitles = 12;

interface TitleListProps {
  readonly label: string;
  readonly titles: readonly { readonly id: string | null; readonly title: string }[];
}

/** What a question is about, as the first of its titles. */
export const TitleList = ({ label, titles }: TitleListProps) => (
  <ScrollBox label={label} className="max-h-56 rounded-md border">
    <ul>
      {titles.slice(0, maxTitles).map(({ id, title }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two may have one title, and the list never changes
        <li key={`${place} ${title}`} className="flex gap-2 border-b px-2.5 py-1 last:border-b-0">
          {id !== null && <span className="font-mono text-xs leading-5 text-faint">{id}</span>}
          <span dir="auto" className="min-w-0 flex-1 truncate" title={title}>
            {title}
          </span>
        </li>
      ))}
      {titles.length > maxTitles && <li className="px-2.5 py-1">and {titles.length - maxTitles} more</li>}
    </ul>
  </ScrollBox>
);
