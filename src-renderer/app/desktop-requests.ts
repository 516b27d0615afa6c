import { onDesktopRequest } from "../desktop.ts";
import { openFolder } from "../features/welcome/open-folder.tsx";
import { useHost } from "../state/host-store.ts";
import { notify } from "../state/notify.ts";

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

/** Asks once about the folder that Hox was started with, where it could not be opened as it is. */
export function askAboutNamedFolder(): void {
  const end = useHost.subscribe(({ app }) => {
    if (!app?.folderToOpen) return;
    end();
    void openFolder(app.folderToOpen);
  });
}
