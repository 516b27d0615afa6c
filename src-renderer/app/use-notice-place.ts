import { type RefObject, useEffect, useLayoutEffect } from "react";
import { type Box, type Control, clearPlace, isClear, type Place } from "./notice-place.ts";

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
export function useNoticePlace(
  section: RefObject<HTMLElement | null>,
  shown: unknown,
  isPinned: boolean,
): void {
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
