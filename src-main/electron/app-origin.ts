/** The origin of the window's page. A separate scheme, so that no file and no site shares it. */
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

/** True for the window's own page and no nested frame. Null is a frame that has gone. */
export const isAppFrame = (frame: Frame | null): boolean =>
  frame !== null && frame.parent === null && frame.origin === appOrigin;
