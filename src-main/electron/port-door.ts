import { ipcMain } from "electron";
import type { Host } from "../host-interface.ts";
import { attachPort } from "../transport/message-port.ts";
import { isAppFrame } from "./app-origin.ts";

/**
 * The only thing the window can ask of the main process directly: to serve the contract on a port it made.
 * A frame that is not the app's own page is refused, and its port closed.
 */
export function openPortDoor(host: Host): void {
  ipcMain.on("hox:connect", ({ senderFrame, ports }) => {
    const [port, ...surplus] = ports;
    for (const each of surplus) each.close();
    if (port === undefined) return;
    if (isAppFrame(senderFrame)) attachPort(host, port);
    else port.close();
  });
}
