/** Which change's files are on screen. */
import { create } from "zustand";
import { showPage } from "../../state/selection-store.ts";

export const filesPage = "files";

/** Null: the working copy. */
export const useFiles = create<{ readonly changeId: string | null }>(() => ({ changeId: null }));

export function showFiles(changeId: string | null): void {
  useFiles.setState({ changeId });
  showPage(filesPage);
}
