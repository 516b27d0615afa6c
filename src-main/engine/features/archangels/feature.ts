import type { Feature } from "../../kernel/feature.ts";
import type { Run } from "../../ports.ts";
import { archangelCommands } from "./commands.ts";
import { archangelViews } from "./views.ts";

/**
 * Reviewers in the background: told once what the run is about and then only what is new, they comment and suggest. They
 * block nothing, count as no vote, and hear nothing of each other. (design section 11)
 */
export const archangels: Feature<Run> = {
  name: "archangels",
  services: (run) => ({ archangels: { views: () => archangelViews(run) } }),
  commands: archangelCommands,
};
