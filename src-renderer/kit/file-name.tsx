import { shownName } from "#shared/domain/text/shown-text.ts";
import { cx } from "./class-names.ts";

/** The name of a file as it is: whole, on its own, and quoted where it would look like another one. */
export const FileName = ({ path, className }: { readonly path: string; readonly className?: string }) => (
  <bdi className={cx("min-w-0 whitespace-pre-wrap break-all", className)} data-selectable>
    {shownName(path)}
  </bdi>
);

/** jj writes whole ids into its descriptions; people know them by their beginnings. */
export const withShortIds = (description: string): string =>
  description.replace(/\b[0-9a-f]{16,}\b/gu, (id) => id.slice(0, 8));
