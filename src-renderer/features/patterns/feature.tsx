import { BookOpen } from "lucide-react";
import type { Feature, Page } from "../../registry/feature.ts";
import { pageAction } from "../../registry/page-action.ts";
import { patternPage } from "../../state/pattern-library.ts";
import { patternKeys } from "./pattern-list.tsx";
import { PatternsPage } from "./patterns-page.tsx";

const page: Page = {
  id: patternPage,
  title: "Patterns",
  icon: <BookOpen size={15} />,
  keys: "alt+5",
  words: "pattern library learned lessons knowledge approve edit retire restore version pull push evidence",
  Body: PatternsPage,
};

/** What earlier runs taught: read, approved, changed, retired and shared. */
export const patterns: Feature = { pages: [page], actions: [pageAction(page)], keys: [patternKeys] };
