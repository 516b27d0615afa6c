import type { WebContents } from "electron";
import { type DesktopRequest, desktopRequestType } from "#shared/contract/window-messages.ts";

/** Requests to the window's page. They wait while there is no page, or while it is loaded. */
export class PageRequests {
  #page: WebContents | null = null;
  #waiting: DesktopRequest[] = [];

  post(request: DesktopRequest): void {
    if (this.#page === null) this.#waiting.push(request);
    else this.#page.send(desktopRequestType, request);
  }

  /** The page listens from now on. */
  connect(page: WebContents): void {
    this.#page = page;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const request of waiting) this.post(request);
  }

  /** Follows a window's page, so that nothing is sent to one that has gone. */
  follow(page: WebContents): void {
    const gone = (): void => {
      if (this.#page === page) this.#page = null;
    };
    page.on("did-start-navigation", ({ isMainFrame, isSameDocument }) => {
      if (isMainFrame && !isSameDocument) gone();
    });
    page.on("render-process-gone", gone);
    page.on("destroyed", gone);
  }
}
