import { FolderOpen } from "lucide-react";
import { useEffect, useState } from "react";
import { usesPort } from "../client.ts";
import { notify } from "../state/notice-store.ts";
import { openDialog } from "../state/selection-store.ts";

const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;

/**
 * A folder that is dropped on the window is opened. Under Electron the preload script knows its path and asks for it; a
 * browser keeps the path to itself, so there a person is shown the way that works.
 */
export function FolderDrop() {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (!carriesFiles(event)) return;
      // Without this a browser would leave the page for what is dropped on it.
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      // From one element to the next it is still over the window.
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      setOver(false);
      if (!carriesFiles(event)) return;
      event.preventDefault();
      if (!usesPort()) explainInBrowser(event.dataTransfer?.files[0]?.name);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);
  if (!isOver) return null;
  return (
    <div className="pointer-events-none fixed inset-0 z-50 flex items-center justify-center border-2 border-accent bg-canvas/85">
      <p className="flex items-center gap-2 text-lg">
        <FolderOpen size={18} aria-hidden />
        Drop a folder to open it
      </p>
    </div>
  );
}

function explainInBrowser(name: string | undefined): void {
  notify(
    "warning",
    `The browser does not reveal the path of ${name ? `“${name}”` : "a dropped folder"}.`,
    "Select it in the list, paste its path there, or start Hox with its path.",
  );
  openDialog("open-repository");
}
