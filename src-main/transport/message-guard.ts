import { z } from "zod";
import { repositoryHeader } from "#shared/contract/repository-header.ts";
import { runHeader } from "#shared/contract/run-header.ts";

/** As the contract takes it, each character of it escaped. */
const maxPathLength = 3 * 4_096;

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
      // Which repository and which run it is for, and nothing else.
      h: z
        .strictObject({
          [runHeader]: z.string().max(200).optional(),
          [repositoryHeader]: z.string().max(maxPathLength).optional(),
        })
        .optional(),
      m: z.string().max(10).optional(),
      b: z.unknown(),
    }),
  }),
]);

export type ClientFrame =
  | {
      readonly kind: "request";
      readonly id: string /** It goes on for as long as the client listens. */;
      readonly isStream: boolean;
    }
  | { readonly kind: "cancel"; readonly id: string };

/** What a frame is that may be given to oRPC; null for any other. */
export function clientFrame(data: unknown): ClientFrame | null {
  if (typeof data !== "string") return null;
  try {
    const parsed = frame.safeParse(JSON.parse(data));
    if (!parsed.success) return null;
    if (parsed.data.t === 4) return { kind: "cancel", id: parsed.data.i };
    const { u } = parsed.data.p;
    const path = u.startsWith("/") ? u : new URL(u).pathname;
    return { kind: "request", id: parsed.data.i, isStream: path.endsWith("/watch") };
  } catch {
    return null;
  }
}
