/** Whether an address that others wrote may be opened: of the web, and nothing that starts a program. */
const isWebAddress = (address: string): boolean =>
  URL.canParse(address) && ["https:", "http:"].includes(new URL(address).protocol);

/** Opens a page in the user's browser; Electron does the same for https only. Nothing for what is no address of the web. */
export function openOutside(address: string): void {
  if (isWebAddress(address)) window.open(address, "_blank", "noopener,noreferrer");
}
