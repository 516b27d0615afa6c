import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { catchUp, previewCatchUp } from "./catch-up.ts";

/** The person's folder comes to stand on what landed, when they ask for it. */
export const catchUpWithLanding: Feature<Run> = {
  name: "catch-up",
  commands: ({ repository, journal, shown, newId }) => ({
    "run.previewCatchUp": () => previewCatchUp(repository, { journal, shown }),
    "run.catchUp": () => catchUp(repository, { journal, shown }, { request: newId(), actor: "hox" }),
  }),
};
