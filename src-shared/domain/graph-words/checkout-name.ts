/**
 * Names of the temporary workspaces in which jj writes the files of one commit for a judge. Each is deleted
 * at once, with its empty change. (HYLO-6)
 */

/**
 * The workspace for the files of one commit. Several active runs may judge the same one.
 * @param commit a commit id of at least 12 hex digits
 * @param run id of the run that owns it
 */
export const checkoutName = (commit: string, run: string): string =>
  `checkout-${commit.slice(0, 12)}-${run
    .toLowerCase()
    .replace(/[^a-z0-9]/gu, "")
    .slice(-12)}`;

/** The workspace without files for Hox's writes while Git manages the user's folder. */
export const homeWorkspaceName = "hox";

const pattern = /^(?:checkout-[0-9a-f]{12}(?:-[a-z0-9]{0,12})?|hox)$/u;

/**
 * Whether a row exists only for such a workspace: showing it would shift the graph for a moment. A change
 * with a description, or with another workspace on it, is work. (HOX-1.1)
 */
export const isOnlyCheckout = (row: {
  readonly description: string;
  readonly workspaces: readonly string[];
}): boolean =>
  row.description === "" && row.workspaces.length > 0 && row.workspaces.every((name) => pattern.test(name));

/** Whether a workspace is one of these, by its name. */
export const isCheckoutName = (name: string): boolean => pattern.test(name);
