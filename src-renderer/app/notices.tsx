import { CircleAlert, Info, TriangleAlert, X } from "lucide-react";
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { focusWhenLost } from "../kit/focus-soon.ts";
import { frontElement } from "../state/go-to.ts";
import type { Notice } from "../state/notice-store.ts";
import { dismissNotice, useNotices } from "../state/notice-store.ts";

const shownMs: Record<Notice["level"], number> = { info: 6_000, warning: 12_000, error: 20_000 };

const icons = {
  info: <Info size={15} className="text-info" aria-hidden />,
  warning: <TriangleAlert size={15} className="text-warning" aria-hidden />,
  error: <CircleAlert size={15} className="text-danger" aria-hidden />,
};

/** By its own buttons, which may have the focus and go with it. What it leads to takes the focus after that. */
function sendAway({ id }: Notice): void {
  dismissNotice(id);
  focusWhenLost(frontElement);
}

function NoticeCard({ notice, held }: { readonly notice: Notice; readonly held: boolean }) {
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => dismissNotice(notice.id), shownMs[notice.level]);
    return () => clearTimeout(timer);
  }, [held, notice.id, notice.level]);
  return (
    <li className="appear pointer-events-auto flex items-start gap-2.5 rounded-lg border bg-raised py-2.5 pr-2 pl-3 shadow-pop">
      <span className="mt-0.5">{icons[notice.level]}</span>
      <div className="min-w-0 flex-1 break-words" data-selectable>
        <p>
          {notice.text}
          {notice.count > 1 && <span className="text-faint"> ×{notice.count}</span>}
        </p>
        {notice.remedy && <p className="mt-0.5 text-muted">{notice.remedy}</p>}
        {notice.action && (
          <button
            type="button"
            className="mt-0.5 rounded-sm font-medium text-accent-text hover:underline"
            onClick={() => {
              sendAway(notice);
              notice.action?.run();
            }}
          >
            {notice.action.label}
          </button>
        )}
      </div>
      <button
        type="button"
        aria-label="Dismiss"
        onClick={() => sendAway(notice)}
        className="inline-flex size-6 shrink-0 items-center justify-center rounded-sm text-faint hover:bg-hover hover:text-text"
      >
        <X size={13} aria-hidden />
      </button>
    </li>
  );
}

/** They wait while the pointer or the focus is on them, and lie on no control: not of the time, of a card, the queue or a text. */
export function Notices() {
  const notices = useNotices((state) => state.notices);
  const [held, setHeld] = useState(false);
  const section = useRef<HTMLElement>(null);
  useNoticePlace(section, notices, held);
  return (
    <section ref={section} aria-label="Notices" className="pointer-events-none fixed z-50">
      <ol
        aria-live="polite"
        className="flex flex-col gap-2"
        onPointerEnter={() => setHeld(true)}
        onPointerLeave={() => setHeld(false)}
        onFocus={() => setHeld(true)}
        onBlur={() => setHeld(false)}
      >
        {notices.map((notice) => (
          <NoticeCard key={notice.id} notice={notice} held={held} />
        ))}
      </ol>
    </section>
  );
}

const gapPx = 8;
/** px, the widest first: where little is free a narrow one still finds its place. */
const widths = [384, 300, 232, 184];
/** While they are shown, what lies below may come and go. */
const lookAgainMs = 200;

const controlsIn =
  'button, input, textarea, select, a[href], summary, [role="slider"], [role="separator"], [role="dialog"], [data-keep-clear]';
/** A mark of the canvas leads to more of what it marks; everything else is what a person answers and steers with. */
const marks = "[data-mark], [data-decision], [data-radar]";

function boxOf(element: Element, gap: number): Box {
  const { left, top, right, bottom } = element.getBoundingClientRect();
  return { left: left - gap, top: top - gap, right: right + gap, bottom: bottom + gap };
}

/** Where words lie that come by themselves: on nothing that a person may be about to press. */
interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface Control extends Box {
  /** How much worse it is to cover it than another one. */
  readonly weight: number;
}

interface Place {
  readonly left: number;
  readonly top: number;
  /** 0: nothing lies below it. */
  readonly cost: number;
}

const stepPx = 8;

/** px² of what two boxes share. */
const shared = (one: Box, other: Box): number =>
  Math.max(0, Math.min(one.right, other.right) - Math.max(one.left, other.left)) *
  Math.max(0, Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top));

/** Whether it lies in the region and on no control. */
export const isClear = (box: Box, region: Box, controls: readonly Control[]): boolean =>
  box.left >= region.left &&
  box.top >= region.top &&
  box.right <= region.right &&
  box.bottom <= region.bottom &&
  controls.every((control) => shared(control, box) === 0);

/** The lowest place in a region that covers no control, of those the leftmost; where all do, the one that covers least. */
export function clearPlace(
  region: Box,
  { width, height }: { readonly width: number; readonly height: number },
  controls: readonly Control[],
): Place {
  const near = controls.filter((control) => shared(control, region) > 0);
  let best: Place | null = null;
  for (let top = region.bottom - height; best === null || top >= region.top; top -= stepPx) {
    for (let left = region.left; left === region.left || left + width <= region.right; left += stepPx) {
      const box = { left, top, right: left + width, bottom: top + height };
      const cost = near.reduce((sum, control) => sum + control.weight * shared(control, box), 0);
      if (best === null || cost < best.cost) best = { left, top, cost };
      if (best.cost === 0) return best;
    }
  }
  return best;
}

function nearbyControls(notices: Element): readonly Control[] {
  return [...document.querySelectorAll(controlsIn)].flatMap((element) => {
    if (notices.contains(element) || element.closest("[inert]") || !element.checkVisibility()) return [];
    return [{ ...boxOf(element, gapPx / 2), weight: element.matches(marks) ? 1 : 100 }];
  });
}

/** The page that is open, else the graph, else the whole window. */
function regionOf(): Box {
  const named = [...document.querySelectorAll("[data-notice-region]")].at(-1);
  return named
    ? boxOf(named, -gapPx)
    : { left: gapPx, top: gapPx, right: window.innerWidth - gapPx, bottom: window.innerHeight - gapPx };
}

/** @param isNew it goes where it belongs; what has a place keeps it as long as it covers nothing there */
function move(section: HTMLElement, isNew: boolean): void {
  const region = regionOf();
  const controls = nearbyControls(section);
  if (!isNew && isClear(boxOf(section, 0), region, controls)) return;
  let best: (Place & { readonly width: number }) | null = null;
  for (const width of widths) {
    if (best !== null && width > region.right - region.left) continue;
    section.style.width = `${width}px`;
    const place = clearPlace(region, { width, height: section.offsetHeight }, controls);
    if (best === null || place.cost < best.cost) best = { ...place, width };
    if (best.cost === 0) break;
  }
  const { left, top, width } = best as Place & { readonly width: number };
  Object.assign(section.style, { left: `${left}px`, top: `${Math.max(0, top)}px`, width: `${width}px` });
}

const isAny = (section: HTMLElement): boolean => section.querySelector("li") !== null;

/**
 * Keeps what lies over the window off the controls below it, wherever these are.
 * @param shown what is shown; another one finds its place anew
 * @param isPinned as long as somebody reads it, it goes nowhere for what lies below
 */
function useNoticePlace(section: RefObject<HTMLElement | null>, shown: unknown, isPinned: boolean): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: other notices are another size
  useLayoutEffect(() => {
    if (section.current && isAny(section.current)) move(section.current, true);
  }, [section, shown]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: nothing is looked after while nothing is shown
  useEffect(() => {
    const element = section.current;
    if (!element || !isAny(element) || isPinned) return;
    const look = (): void => move(element, false);
    const timer = setInterval(look, lookAgainMs);
    window.addEventListener("resize", look);
    return () => {
      clearInterval(timer);
      window.removeEventListener("resize", look);
    };
  }, [section, shown, isPinned]);
}
