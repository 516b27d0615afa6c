import { onDesktopRequest } from "../desktop.ts";
import { openFolder } from "../features/welcome/open-folder.ts";
import { notify } from "../state/notice-store.ts";

/** Carries out what the Electron shell asks of the page. To be called before the page asks for its port. */
export function obeyDesktop(): void {
  onDesktopRequest((request) => {
    switch (request.kind) {
      case "open-folder":
        void openFolder(request.path);
        break;
      case "notice":
        notify(request.level, request.text, request.remedy);
        break;
    }
  });
}
