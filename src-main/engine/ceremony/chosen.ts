import type { Ceremony } from "#shared/domain/ceremony/ceremony-parts.ts";
import { fullCeremony } from "#shared/domain/ceremony/ceremony-rules.ts";
import type { Run } from "../ports.ts";

/** What an orchestrator's plan needs beside its agents, as it was chosen; all of it where nobody chose. */
export const ceremonyIn = (run: Run, orchestrator: string): Ceremony =>
  run.stateOf(orchestrator).ceremony ?? fullCeremony;
