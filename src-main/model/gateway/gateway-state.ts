import type { RateLimit } from "../rate-limit.ts";
import type { Admission } from "./admission.ts";
import type { GatewayLimits, GatewayOptions, RefusedRequest } from "./gateway-interface.ts";

/** One gateway, as its requests see it. */
export interface GatewayState {
  readonly options: GatewayOptions;
  readonly limits: GatewayLimits;
  readonly admission: Admission;
  /** Of this worker at the provider. */
  readonly places: RateLimit;
  /** A request is at the provider until the returned function is called. */
  readonly begin: () => () => void;
  readonly report: (refused: RefusedRequest) => void;
  /** Of all bodies that are held now. */
  heldBytes: number;
}
