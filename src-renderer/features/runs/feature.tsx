import { History } from "lucide-react";
import type { Feature, Page } from "../../registry/feature.ts";
import { pageAction } from "../../registry/page-action.ts";
import { useHost } from "../../state/host-store.ts";
import { isReplaying } from "../../state/replay-store.ts";
import { moveToLanded } from "./move-to-landed.tsx";
import { RunsPage, runListKeys } from "./runs-page.tsx";
import { openReport } from "./runs-store.ts";

const page: Page = {
  id: "runs",
  title: "Runs",
  icon: <History size={15} />,
  keys: "alt+3",
  words: "history past list search compare finished report",
  Body: RunsPage,
};

const newest = () => useHost.getState().repository?.runs[0] ?? null;
const landed = () => useHost.getState().run?.landed ?? null;

/** The runs that this repository ever had, and what came of each. */
export const runs: Feature = {
  pages: [page],
  keys: [runListKeys],
  actions: [
    pageAction(page),
    {
      id: "run-report",
      title: "Report on the last run",
      group: "Run",
      words: "what changed decisions checks votes cost left summary markdown",
      available: () => newest() !== null,
      run: () => openReport(newest()?.id ?? null),
    },
    {
      id: "move-to-landed",
      title: "Move the folder onto what landed…",
      group: "Run",
      keys: "alt+g",
      words: "catch up working copy update checkout",
      available: () => !isReplaying() && (landed()?.undoneAt ?? null) === null && landed() !== null,
      run: () => void moveToLanded(),
    },
  ],
};
