import type { Ceremony } from "../ceremony-parts.ts";

const reason = "The test asks for all of it.";
/** All of it. */
export const fullCeremony: Ceremony = {
  contracts: { value: "write", by: "plan", reason },
  reviews: { value: "each", by: "plan", reason },
  integrator: { value: "always", by: "plan", reason },
  seats: { value: "all", by: "plan", reason },
  learning: { value: "always", by: "plan", reason },
};
