import { ipcRenderer, webUtils } from "electron";
import {
  connectMessage,
  type DesktopRequest,
  desktopRequestType,
  portMessage,
  showWindowMessage,
} from "#shared/contract/window-messages.ts";

// All that crosses into the page is one message port and what the system asks of it; the contract and its checks are on
// the other side.
const page = window.location.origin;
const ask = (request: DesktopRequest): void =>
  window.postMessage({ type: desktopRequestType, request }, page);

window.addEventListener("message", (event) => {
  if (event.source !== window) return;
  if (event.data === showWindowMessage) ipcRenderer.send(showWindowMessage);
  if (event.data !== connectMessage) return;
  const { port1, port2 } = new MessageChannel();
  ipcRenderer.postMessage(connectMessage, null, [port1]);
  window.postMessage(portMessage, page, [port2]);
});
ipcRenderer.on(desktopRequestType, (_event, request: DesktopRequest) => ask(request));
// Only here does a dropped folder have a path.
window.addEventListener("drop", ({ dataTransfer }) => {
  const [first] = dataTransfer?.files ?? [];
  const path = first ? webUtils.getPathForFile(first) : "";
  if (path !== "") ask({ kind: "open-folder", path });
});
