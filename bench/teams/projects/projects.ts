import type { TeamProject } from "../feature.ts";
import { click } from "./click.ts";
import { heck } from "./heck.ts";
import { itsdangerous } from "./itsdangerous.ts";
import { minimist } from "./minimist.ts";

/** All of them; a quick bench runs another set of each. */
export const projects: readonly TeamProject[] = [minimist, click, itsdangerous, heck];
