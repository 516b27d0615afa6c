/** Checkouts of panels that judge without a run: where they are, and how nothing of them stays. */
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { removeTree } from "../../disk/remove-tree.ts";
import { checkoutsFolder } from "./checkout.ts";
import { type CheckoutHost, localCheckout } from "./local-checkout.ts";
import type { CheckoutHandle } from "./workspace-interface.ts";

/** Neutral, because a judge sees the path of its checkout. */
const prefix = "panel-";

/** The name of a panel's checkouts. */
export const panelId = (id: string): string => `${prefix}${id}`;

/** The user's folder: read only. */
export const personsFolder = (host: CheckoutHost): CheckoutHandle =>
  localCheckout(host, host.repository.root);

/** Takes away all that one panel has left. */
export const removePanelCheckouts = (stateFolder: string, id: string): Promise<void> =>
  removeTree(checkoutsFolder(stateFolder, id));

/** Takes away what killed hosts have left; no panel may be judging. */
export async function removeLeftCheckouts(stateFolder: string): Promise<void> {
  const folder = dirname(checkoutsFolder(stateFolder, "any"));
  let names: readonly string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  for (const name of names) if (name.startsWith(prefix)) await removeTree(join(folder, name));
}
