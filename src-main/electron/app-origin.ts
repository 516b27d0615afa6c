/** Where the window's page comes from. A scheme of its own, so that no file and no other site is ever of its origin. */
export const scheme = "app";
const appHost = "hox";
const appOrigin = `${scheme}://${appHost}`;
export const appPage = `${appOrigin}/`;

/** True for an address of the window's own page. */
export function isAppAddress(address: string): boolean {
  try {
    const { protocol, host } = new URL(address);
    return protocol === `${scheme}:` && host === appHost;
  } catch {
    return false;
  }
}

/** What of a frame decides who it is. */
export interface Frame {
  readonly origin: string;
  readonly parent: Frame | null;
}

/** True for the window's own page and nothing inside it. A frame that has gone is null, and nobody. */
export const isAppFrame = (frame: Frame | null): boolean =>
  frame !== null && frame.parent === null && frame.origin === appOrigin;
