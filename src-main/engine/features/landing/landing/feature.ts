import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { checkLanding, land } from "./landing.ts";
import { landingCommands } from "./landing-commands.ts";
import { tidyGraph } from "./tidy-graph.ts";

/** The result gets onto the branch that it was made for. */
export const landing: Feature<Run> = {
  name: "landing",
  commands: landingCommands,
  cardChecks: { land: checkLanding },
  course: { Land: { title: "The result could not land", perform: (run) => land(run) } },
  atRunEnd: tidyGraph,
};
