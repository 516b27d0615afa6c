import type { ReactNode } from "react";
import { shownText } from "#shared/domain/text/shown-text.ts";

/** Attributes whose text is shown or read aloud. */
const shownAttributes = [
  "title",
  "alt",
  "placeholder",
  "aria-label",
  "aria-description",
  "aria-valuetext",
] as const;

/** Most texts hold nothing else. */
const isPlain = (text: string): boolean => /^[\t\n\x20-\x7e]*$/u.test(text);
const visible = (text: string): string => (isPlain(text) ? text : shownText(text));

/**
 * What an element shows, with signs visible that act without a shape, such as those that turn the direction of a text around.
 * What is edited (`value`) stays as it is.
 *
 * @param type a name of HTML or SVG, or a component
 * @returns the same object where nothing has to change
 */
export function visibleProps<Props>(type: unknown, props: Props): Props {
  if (typeof props !== "object" || props === null) return props;
  const given = props as Readonly<Record<string, unknown>>;
  let changed: Record<string, unknown> | null = null;
  const change = (name: string, value: unknown): void => {
    if (value === given[name]) return;
    changed ??= { ...given };
    changed[name] = value;
  };
  if ("children" in given) change("children", visibleChildren(given.children as ReactNode));
  // To a component a title may be something to edit.
  if (typeof type === "string")
    for (const name of shownAttributes) {
      const value = given[name];
      if (typeof value === "string") change(name, visible(value));
    }
  return (changed ?? props) as Props;
}

function visibleChildren(children: ReactNode): ReactNode {
  if (typeof children === "string") return visible(children);
  if (!Array.isArray(children)) return children;
  const after = children.map(visibleChildren);
  return after.some((child, at) => child !== children[at]) ? after : children;
}
