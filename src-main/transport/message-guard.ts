import { z } from "zod";

/**
 * The frames that a Hox client sends: a JSON request, or the cancelling of one. oRPC takes more (uploads, streams from
 * the client), nothing of which the contract uses, and answers a malformed frame with an unhandled rejection.
 */
const frame = z.union([
  z.object({ i: z.string().max(100), t: z.literal(4) }),
  z.object({
    i: z.string().max(100),
    t: z.literal(1).optional(),
    p: z.object({
      u: z
        .string()
        .max(500)
        .regex(/^(?:\/|https?:\/\/)[\w./:-]*$/u),
      h: z.record(z.string(), z.never()).optional(),
      m: z.string().max(10).optional(),
      b: z.unknown(),
    }),
  }),
]);

/** True for a frame that may be given to oRPC. */
export function isClientFrame(data: unknown): data is string {
  if (typeof data !== "string") return false;
  try {
    const parsed = frame.safeParse(JSON.parse(data));
    if (!parsed.success) return false;
    if (parsed.data.t !== 4 && !parsed.data.p.u.startsWith("/")) new URL(parsed.data.p.u);
    return true;
  } catch {
    return false;
  }
}
