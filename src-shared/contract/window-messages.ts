/**
 * Messages between the page and the preload script of the Electron shell, except for the contract's port.
 * Each is posted to the page's own window; in a browser there is no listener.
 */

/** From the page: it asks for a port. */
export const connectMessage = "hox:connect";
/** To the page, with the port. */
export const portMessage = "hox:port";
/** From the page: the user has clicked a notification and wants to see the window. */
export const showWindowMessage = "hox:show-window";
/** From the main process to the preload script, and from there to the page: the type of a `DesktopRequestMessage`. */
export const desktopRequestType = "hox:desktop-request";

/** A request of the system, or of the user through the system, to the page. */
export type DesktopRequest =
  | { readonly kind: "open-folder"; readonly path: string }
  | {
      readonly kind: "notice";
      readonly level: "info" | "warning" | "error";
      readonly text: string;
      readonly remedy: string | null;
    };

interface DesktopRequestMessage {
  readonly type: typeof desktopRequestType;
  readonly request: DesktopRequest;
}

/**
 * The request that a message of the page's own window carries.
 * @param data of a `MessageEvent` whose source is the window itself, so that only the preload script and the page's own
 *   scripts can have posted it
 * @returns null for every other message
 */
export function desktopRequestOf(data: unknown): DesktopRequest | null {
  if (typeof data !== "object" || data === null) return null;
  const { type, request } = data as Partial<DesktopRequestMessage>;
  return type === desktopRequestType && request !== undefined ? request : null;
}
