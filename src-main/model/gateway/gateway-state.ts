import type { Admission } from "./admission.ts";
import type { GatewayLimits, GatewayOptions, RefusedRequest } from "./gateway-interface.ts";

/** One gateway, as its requests see it. */
export interface GatewayState {
  readonly options: GatewayOptions;
  readonly limits: GatewayLimits;
  readonly admission: Admission;
  /** A request is at the provider until the returned function is called. */
  readonly begin: () => () => void;
  readonly report: (refused: RefusedRequest) => void;
  /** Of all bodies that are held now. */
  heldBytes: number;
}
