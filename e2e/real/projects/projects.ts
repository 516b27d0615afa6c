import type { RealProject } from "../project.ts";
import { itsdangerous } from "./python.ts";

/** All of them, in the order in which they are walked through. */
export const projects: readonly RealProject[] = [itsdangerous];
