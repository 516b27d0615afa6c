/** What a host and its launcher say to each other. */
import type { Program, ProgramEnd } from "./start-program.ts";

export type ToLauncher =
  | { readonly kind: "start"; readonly id: number; readonly program: Program }
  | { readonly kind: "kill"; readonly id: number; readonly signal: NodeJS.Signals };

export type FromLauncher =
  | { readonly kind: "ready" }
  | { readonly kind: "started"; readonly id: number; readonly pid: number }
  | { readonly kind: "stdout" | "stderr"; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: "end"; readonly id: number; readonly end: ProgramEnd };
