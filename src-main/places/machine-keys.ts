/** Secrets of machines: what is kept of them is only their hash. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

export const invitationMs = 60 * 60_000;

export const newSecret = (): string => randomBytes(32).toString("base64url");

export const newMachineId = (): string => randomBytes(8).toString("hex");

export const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");

/** @param hash of the key that counts */
export const isKey = (hash: string, key: string): boolean =>
  timingSafeEqual(Buffer.from(hash), Buffer.from(hashOf(key)));

/** A name that several machines have is followed by the beginning of the id. */
export const nameFor = (name: string, id: string, isTaken: boolean): string =>
  isTaken ? `${name}-${id.slice(0, 4)}` : name;
