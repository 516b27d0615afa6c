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
