import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { graphCommands } from "./graph-commands.ts";

/** What a person does to the graph by hand, while the agents of a run work on it. */
export const graphEdits: Feature<Run> = { name: "graph-edits", commands: graphCommands };
