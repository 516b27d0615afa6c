import type { RealProject } from "../project.ts";
import { httpParser, humantime, jansson, jiter, lru, semver, tinyxml2, websocket } from "./compiled.ts";
import { bl, inspect, needle, stableStringify } from "./javascript.ts";
import { argon2, itsdangerous, six, waitress } from "./python.ts";
import { assert, builder, bzip2, eex } from "./scripted.ts";

/** All of them, in the order in which they are walked through. */
export const projects: readonly RealProject[] = [
  ...[stableStringify, inspect, bl, needle],
  ...[six, itsdangerous, waitress, argon2],
  ...[semver, humantime, jiter],
  ...[lru, websocket],
  ...[jansson, httpParser, tinyxml2],
  ...[builder, assert, eex, bzip2],
];
