import type { TeamProject } from "../feature.ts";
import { itsdangerous } from "./itsdangerous.ts";
import { minimist } from "./minimist.ts";

export const projects: readonly TeamProject[] = [itsdangerous, minimist];
