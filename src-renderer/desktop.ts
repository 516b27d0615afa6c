/** What the page and the Electron shell tell each other outside the contract; a browser has no shell and gets no answer. */
import {
  type DesktopRequest,
  desktopRequestOf,
  showWindowMessage,
} from "#shared/contract/window-messages.ts";

/** Brings the window forward, also out of the task bar. */
export function showWindow(): void {
  window.focus();
  window.postMessage(showWindowMessage, location.origin);
}

/** Carries out what the system asks for from now on. */
export function onDesktopRequest(execute: (request: DesktopRequest) => void): void {
  addEventListener("message", (message) => {
    if (message.source !== window) return;
    const request = desktopRequestOf(message.data);
    if (request) execute(request);
  });
}
