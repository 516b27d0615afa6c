/**
 * Names of the workspaces that exist only while jj writes the files of one commit into a folder for whoever judges it.
 * Each is gone after a moment, and with it the empty change that it stood on. (HYLO-6)
 */

/**
 * The workspace for the files of one commit. Runs that go on side by side may judge the same one.
 * @param commit a commit id of at least 12 hex digits
 * @param run whose checkout it is, by its id
 */
export const checkoutName = (commit: string, run: string): string =>
  `checkout-${commit.slice(0, 12)}-${run
    .toLowerCase()
    .replace(/[^a-z0-9]/gu, "")
    .slice(-12)}`;

/** The workspace without files that Hox writes from where Git holds the person's folder. */
export const homeWorkspaceName = "hox";

const pattern = /^(?:checkout-[0-9a-f]{12}(?:-[a-z0-9]{0,12})?|hox)$/u;

/**
 * Whether a row is there only for such a workspace: nobody works in it, and shown it would move everything beside it
 * for a moment. A change that anybody described, or that another workspace stands on as well, is work. (HOX-1.1)
 */
export const isOnlyCheckout = (row: {
  readonly description: string;
  readonly workspaces: readonly string[];
}): boolean =>
  row.description === "" && row.workspaces.length > 0 && row.workspaces.every((name) => pattern.test(name));

/** Whether a workspace is one of these, by its name. */
export const isCheckoutName = (name: string): boolean => pattern.test(name);
