import { type Session, shell, type WebContents } from "electron";
import { isAppAddress, isAppFrame } from "./app-origin.ts";
import { openOnLinuxDesktop } from "./desktop-open.ts";

/** The window copies an id and tells of a decision that waits; it asks for nothing else, and gets nothing else. */
const granted: ReadonlySet<string> = new Set(["clipboard-sanitized-write", "notifications"]);

/** Opens an address in the user's browser, and only an address of the web: a `file:` or a custom scheme starts programs. */
export function openOutside(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  if (url.protocol !== "https:" || url.username !== "" || url.password !== "") return false;
  if (process.platform === "linux")
    void openOnLinuxDesktop(url.href).then((problem) => {
      if (problem !== "") process.stderr.write(`Hox could not open ${url.href}: ${problem}\n`);
    });
  else void shell.openExternal(url.href);
  return true;
}

/** A window shows the app's page for all its life, whatever the page or its content may try. */
export function lockContents(contents: WebContents): void {
  const stay = (event: { preventDefault(): void; readonly url: string }): void => {
    // A reload is a navigation to where the window is already.
    if (!isAppAddress(event.url)) event.preventDefault();
  };
  contents.on("will-navigate", stay);
  contents.on("will-frame-navigate", stay);
  contents.on("will-redirect", stay);
  contents.on("will-attach-webview", (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    openOutside(url);
    return { action: "deny" };
  });
}

/** Permissions are answered twice, when asked for and when checked; both must say the same. */
export function lockSession(session: Session): void {
  session.setPermissionRequestHandler((contents, permission, decide) => {
    decide(granted.has(permission) && isAppFrame(contents.mainFrame));
  });
  session.setPermissionCheckHandler(
    (_contents, permission, origin) => granted.has(permission) && isAppAddress(origin),
  );
  session.setDevicePermissionHandler(() => false);
}
