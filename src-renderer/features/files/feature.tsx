import { FolderTree } from "lucide-react";
import type { Feature, Page } from "../../registry/feature.ts";
import { hasRepository } from "../../state/host-store.ts";
import { useSelection } from "../../state/selection-store.ts";
import { filesKeys } from "./files-keys.ts";
import { FilesPage } from "./files-page.tsx";
import { filesPage, showFiles } from "./files-store.ts";

const page: Page = {
  id: filesPage,
  title: "Files",
  icon: <FolderTree size={15} />,
  keys: "",
  words: "",
  isOfOneChange: true,
  Body: FilesPage,
};

/** Every file of the repository as a change has it. */
export const files: Feature = {
  pages: [page],
  keys: [filesKeys],
  actions: [
    {
      id: "files",
      title: "Browse the files of the repository",
      group: "View",
      words: "tree explorer folder open file",
      available: hasRepository,
      run: () => showFiles(useSelection.getState().selected),
    },
  ],
  changeMenu: {
    order: 0,
    entriesOf: (changeId) => [
      { label: "Browse files", icon: <FolderTree size={14} />, onSelect: () => showFiles(changeId) },
    ],
  },
};
