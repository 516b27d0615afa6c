/** The lines of one file of a diff that are drawn; of a long one only those near the screen are. */

const isDeletion = (element: HTMLElement): boolean => (element.dataset.lineType ?? "").includes("deletion");

function allDrawn(section: Element, selector: string): readonly HTMLElement[] {
  return [...section.querySelectorAll("*")]
    .flatMap(({ shadowRoot }) => (shadowRoot ? [shadowRoot] : []))
    .flatMap((root) => [...root.querySelectorAll<HTMLElement>(selector)]);
}

const isOfOldSide = (element: HTMLElement): boolean =>
  isDeletion(element) || element.closest("[data-deletions]") !== null;

/** The element of one line; null where it is not drawn. */
export const drawnLine = (
  section: Element,
  side: "additions" | "deletions",
  line: number,
): HTMLElement | null =>
  allDrawn(section, `[data-line="${line}"]`).find(
    (element) => isOfOldSide(element) === (side === "deletions"),
  ) ?? null;

/** The lines of the new side. */
export const drawnLines = (
  section: Element,
): readonly { readonly line: number; readonly element: HTMLElement }[] =>
  allDrawn(section, "[data-line]")
    .filter((element) => !isOfOldSide(element))
    .map((element) => ({ line: Number(element.dataset.line), element }));
