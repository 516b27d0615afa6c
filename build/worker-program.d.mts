import type { Plugin } from "vite";

export const workerProgram: string;
/** @param plugins for tests: what is built is another version */
export function buildWorkerProgram(folder: string, plugins?: readonly Plugin[]): Promise<void>;
