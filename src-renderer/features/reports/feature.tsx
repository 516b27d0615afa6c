import { ChartColumn } from "lucide-react";
import type { Feature, Page } from "../../registry/feature.ts";
import { pageAction } from "../../registry/page-action.ts";
import { ReportsPage } from "./reports-page.tsx";

const page: Page = {
  id: "reports",
  title: "Reports",
  icon: <ChartColumn size={15} />,
  keys: "alt+4",
  words: "metrics figures cost time conflicts rework score model phase pattern runs history csv json export",
  Body: ReportsPage,
};

/** What many runs of this repository came to. */
export const reports: Feature = { pages: [page], actions: [pageAction(page)] };
