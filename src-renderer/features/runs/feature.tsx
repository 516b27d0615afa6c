import { History } from "lucide-react";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import type { Action } from "../../registry/action.ts";
import type { Feature, Page } from "../../registry/feature.ts";
import { pageAction } from "../../registry/page-action.ts";
import { hasRepository, useHost } from "../../state/host-store.ts";
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

/** The palette's way to the report on each run. */
const reportCommands = (): readonly Action[] =>
  (useHost.getState().repository?.runs ?? []).map(({ id, goal, stage, startedAt }) => ({
    id: `report-${id}`,
    title: `Report on ${id.slice(0, 8)}: ${shownLine(goal)}`,
    group: "Runs",
    detail: `${stage}, ${new Date(startedAt).toLocaleDateString()}`,
    words: "run past history what came of it",
    run: () => openReport(id),
  }));

/** The runs that this repository ever had, and what came of each. */
export const runs: Feature = {
  pages: [page],
  keys: [runListKeys],
  commands: reportCommands,
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
      title: "Switch the folder to the landed commit…",
      group: "Run",
      keys: "alt+g",
      words: "catch up working copy update checkout",
      // Whatever landed last, on screen or not; where nothing did, the host says so.
      available: () => !isReplaying() && hasRepository(),
      run: () => void moveToLanded(),
    },
  ],
};
