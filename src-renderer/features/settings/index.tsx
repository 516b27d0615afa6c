import { Dialog } from "../../kit/dialog.tsx";
import { useHost } from "../../state/host-store.ts";
import { closeDialog, useSelection } from "../../state/selection-store.ts";
import { ArchangelSettings } from "./archangel-settings.tsx";
import { KeySettings } from "./key-settings.tsx";
import { LookSettings } from "./look-settings.tsx";
import { OpenInSettings } from "./open-in-settings.tsx";
import { RunSettings } from "./run-settings.tsx";
import { SandboxSettings } from "./sandbox-settings.tsx";
import { ToolList } from "./tool-list.tsx";

/** What a person sets once. Every field is saved as it is changed. */
export function SettingsDialog() {
  const open = useSelection((state) => state.dialog === "settings");
  const app = useHost((state) => state.app);
  if (!open || !app) return null;
  return (
    <Dialog open onClose={closeDialog} title="Settings" width="w-[600px]">
      <div className="flex flex-col gap-6">
        <LookSettings theme={app.settings.theme} />
        <KeySettings keyView={app.key} />
        <RunSettings settings={app.settings} />
        <OpenInSettings chosen={app.settings.openIn} />
        <ArchangelSettings />
        <SandboxSettings isolation={app.isolation} allowed={app.settings.allowUnsandboxed} />
        <ToolList tools={app.tools} version={app.version} />
      </div>
    </Dialog>
  );
}
