import { matchStarts } from "./find-matches.ts";

const name = "find";

/** The text of an element from one match on, as a range; null where it does not hold that match. */
function rangeOfMatch(box: Element, query: string, nth: number): Range | null {
  const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode()) nodes.push(walker.currentNode as Text);
  const start = matchStarts(nodes.map(({ data }) => data).join(""), query)[nth];
  if (start === undefined) return null;
  const range = document.createRange();
  let before = 0;
  for (const node of nodes) {
    const end = before + node.length;
    if (start >= before && start < end) range.setStart(node, start - before);
    if (start + query.length <= end) {
      range.setEnd(node, start + query.length - before);
      return range;
    }
    before = end;
  }
  return null;
}

/** Colours one match; the one that was coloured before is not any more. */
export function markRange(range: Range | null): void {
  if (range) CSS.highlights.set(name, new Highlight(range));
  else CSS.highlights.delete(name);
}

/** Scrolls as little as brings a match into view, in every box that scrolls around it. */
function revealRange(range: Range): void {
  const element = range.startContainer.parentElement;
  if (!element) return;
  // A line may be wider or a paragraph longer than its box, so the match itself decides.
  const at = range.getBoundingClientRect();
  const own = element.getBoundingClientRect();
  element.scrollIntoView({ block: own.height > 200 ? "start" : "center", inline: "nearest" });
  const moved = range.getBoundingClientRect();
  const scroller = scrollerOf(element);
  if (!scroller || (moved.height === 0 && at.height === 0)) return;
  const view = scroller.getBoundingClientRect();
  if (moved.top < view.top + 48 || moved.bottom > view.bottom - 24)
    scroller.scrollTop += moved.top - view.top - view.height / 2;
}

function scrollerOf(element: Element): Element | null {
  for (let one: Element | null = element; one; one = parentOf(one))
    if (/auto|scroll/u.test(getComputedStyle(one).overflowY) && one.scrollHeight > one.clientHeight)
      return one;
  return null;
}

/** Also out of a shadow tree. */
function parentOf(element: Element): Element | null {
  const root = element.getRootNode();
  return element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
}

/** Where a match is drawn; `wait` while it is not. */
export type Seek = { readonly box: Element; readonly nth: number } | "wait";

/** Maximum number of frames until something unfolded, loaded or scrolled to is drawn. */
const maxFrames = 120;

/**
 * Looks for a match in each frame until it is drawn, then scrolls to it and marks it. It is marked again when redrawn:
 * colours of code come later than its text.
 * @returns how to stop
 */
export function seek(look: () => Seek, query: string): () => void {
  let frames = 0;
  let frame = 0;
  const find = (): Range | null => {
    const found = look();
    return found === "wait" ? null : rangeOfMatch(found.box, query, found.nth);
  };
  const redrawn = new MutationObserver(() => markRange(find()));
  const next = (): void => {
    const range = find();
    if (range) {
      revealRange(range);
      markRange(range);
      const root = range.startContainer.getRootNode();
      redrawn.observe(root, { childList: true, subtree: true });
    } else if (frames++ < maxFrames) frame = requestAnimationFrame(next);
  };
  frame = requestAnimationFrame(next);
  return () => {
    cancelAnimationFrame(frame);
    redrawn.disconnect();
  };
}
