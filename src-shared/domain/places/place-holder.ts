/** Who holds a place: an agent its workspace, or a worker a fresh checkout in which its checks and judges run commands. */

const separator = " checks ";

/** The holder of a fresh checkout. @param worker for whose work it is @param id of this checkout */
export const checkoutHolder = (worker: string, id: string): string => `${worker}${separator}${id}`;

/** The worker for whose work a place is held. @returns `checkout`: its id; null: the place is the worker's own workspace */
export function holderOf(holder: string): { readonly worker: string; readonly checkout: string | null } {
  const [worker = holder, checkout = null] = holder.split(separator);
  return { worker, checkout };
}
