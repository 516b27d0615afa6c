import { ipcRenderer } from "electron";

// All that crosses into the page is one message port; the contract and its checks are on the other side.
window.addEventListener("message", (event) => {
  if (event.source !== window || event.data !== "hox:connect") return;
  const { port1, port2 } = new MessageChannel();
  ipcRenderer.postMessage("hox:connect", null, [port1]);
  window.postMessage("hox:port", window.location.origin, [port2]);
});
