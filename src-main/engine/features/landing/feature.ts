import type { Feature } from "../../kernel/feature.ts";
import type { Run } from "../../ports.ts";
import { land } from "./landing.ts";
import { tidyGraph } from "./tidy-graph.ts";

/** The result gets onto the branch that it was made for. */
export const landing: Feature<Run> = {
  name: "landing",
  course: { Land: { title: "The result cannot land", perform: (run) => land(run) } },
  atRunEnd: tidyGraph,
};
