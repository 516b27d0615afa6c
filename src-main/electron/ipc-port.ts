import { ipcMain, type WebContents } from "electron";
import { connectMessage, showWindowMessage } from "#shared/contract/window-messages.ts";
import type { Host } from "../host-interface.ts";
import { log } from "../log/log.ts";
import { attachPort } from "../transport/serve-line.ts";
import { isAppFrame } from "./app-origin.ts";

export interface IpcPortActions {
  /** The page has its port and receives requests. */
  readonly onConnect: (page: WebContents) => void;
  readonly showWindow: () => void;
}

/**
 * All that the window can ask of the main process directly: to serve the contract on a port it made, and to be shown.
 * A frame that is not the app's own page is refused, and its port closed.
 */
export function openIpcPort(host: Host, { onConnect, showWindow }: IpcPortActions): void {
  ipcMain.on(connectMessage, ({ senderFrame, sender, ports }) => {
    const [port, ...surplus] = ports;
    for (const each of surplus) each.close();
    if (port === undefined) return;
    if (!isAppFrame(senderFrame)) {
      log.warn("port refused: not a page of Hox");
      port.close();
      return;
    }
    attachPort(host, port);
    onConnect(sender);
  });
  ipcMain.on(showWindowMessage, ({ senderFrame }) => {
    if (isAppFrame(senderFrame)) showWindow();
  });
}
