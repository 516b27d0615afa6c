/** Schemas of what occurs in many things that a client may send. */
import { z } from "zod";

/** One line of text. */
export const line = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\r\n\0]*$/u, "must be one line");

export const changeId = z
  .string()
  .regex(/^[k-z]{4,64}(?:\/\d+)?$|^[0-9a-f]{4,64}$/u, "must be a change ID or commit ID");
export const commitId = z.string().regex(/^[0-9a-f]{8,64}$/u, "must be a commit ID");
export const operationId = z.string().regex(/^[0-9a-f]{8,128}$/u, "must be an operation ID");

/** Of money or tokens. Null is no limit. */
export const limit = z.number().int().positive().nullable();

/** What may be spent at most. */
export const amounts = z.strictObject({ tokens: limit, microDollars: limit });

/** Name of a worker of the run that is open: `agent-1`, `integrator`. */
export const workerName = line(200).min(1);
