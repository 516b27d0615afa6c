import type { IncomingMessage } from "node:http";
import { RequestRefusal } from "./http-answers.ts";

export interface LoopbackGuard {
  /** The name that the request calls this host by. @throws RequestRefusal when it is not this machine's own */
  checkHost(request: IncomingMessage): string;
  /** @param name as `checkHost` answered @throws RequestRefusal when the request comes from another page */
  checkOrigin(request: IncomingMessage, name: string): void;
}

/** Keeps pages of other sites out, also those whose name resolves to this machine. */
export function createLoopbackGuard(port: number): LoopbackGuard {
  const names = [`127.0.0.1:${port}`, `localhost:${port}`];
  return {
    // A page of another site that resolves to this machine sends its own name.
    checkHost({ headers }) {
      if (headers.host === undefined || !names.includes(headers.host))
        throw new RequestRefusal(403, "Use 127.0.0.1 or localhost.");
      return headers.host;
    },
    checkOrigin({ headers }, name) {
      if (headers.origin !== `http://${name}`)
        throw new RequestRefusal(403, "The request is from another website.");
    },
  };
}
