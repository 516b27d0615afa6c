import { homedir } from "node:os";
import { type Session, shell, type WebContents } from "electron";
import { log } from "../log/log.ts";
import { startDesktopProgram } from "../processes/desktop-program.ts";
import { isAppAddress, isAppFrame } from "./app-origin.ts";

/** The window copies an id and shows notifications for decisions; it needs and gets no other permission. */
const granted: ReadonlySet<string> = new Set(["clipboard-sanitized-write", "notifications"]);

/** Opens an address in the user's browser, and only an address of the web: a `file:` or a custom scheme starts programs. */
export function openOutside(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  if (url.protocol !== "https:" || url.username !== "" || url.password !== "") return false;
  if (process.platform === "linux")
    // As Electron does, but without our environment and the key in it. On other systems programs get a separate one.
    void startDesktopProgram(["xdg-open", url.href], homedir()).then((problem) => {
      if (problem === null) return;
      process.stderr.write(`Hox could not open ${url.href}: ${problem}\n`);
      log.warn("address not opened", { problem });
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
