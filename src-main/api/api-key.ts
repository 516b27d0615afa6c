import type { KeyView } from "#shared/contract/views/app.ts";
import { remedyOf } from "#shared/domain/text/remedied-error.ts";
import { withholdFromChildren } from "../config/child-environment.ts";
import { defaultConfig } from "../config/settings.ts";
import type { Keychain } from "../host-interface.ts";
import type { ModelDriver } from "../model/driver-interface.ts";
import { ModelError } from "../model/model-error.ts";
import { Refusal } from "./refusal.ts";

const defaultVariable = "ANTHROPIC_API_KEY";

export type ApiKey = ReturnType<typeof createApiKey>;

/**
 * Where the key comes from, in this order: the environment, the keychain, this session. It never leaves the host. Which
 * variable of the environment holds it, the repository says (`models.api_key_env`).
 */
export function createApiKey(keychain: Keychain | undefined, env: NodeJS.ProcessEnv = process.env) {
  let stored: string | null = null;
  let session: string | null = null;
  let warning: string | null = null;
  let isVerified = false;
  let variable = defaultVariable;
  /** Every variable that was named: what they hold stays secret. */
  const named = new Set([defaultVariable]);

  const fromEnv = (name: string): string | null => env[name]?.trim() || null;
  const fromEnvironment = (): string | null => fromEnv(variable);
  const baseUrl = (): string | null => fromEnv("ANTHROPIC_BASE_URL");

  return {
    async load(): Promise<void> {
      try {
        stored = (await keychain?.get()) ?? null;
      } catch (error) {
        warning = [`The keychain could not be read: ${(error as Error).message}`, remedyOf(error)]
          .filter(Boolean)
          .join(" ");
      }
    },
    /** From now on the environment's key is in this variable, and in no other: it may be another account's. */
    readFrom(name: string): void {
      variable = name;
      isVerified = false;
      named.add(name);
      withholdFromChildren(name);
    },
    get baseUrl(): string | null {
      return baseUrl();
    },
    /** The key itself, only for the driver. */
    get(): string {
      const key = fromEnvironment() ?? stored ?? session;
      if (key !== null) return key;
      throw new Refusal(
        "No API key is set.",
        `Set ${variable} before starting Hox, or enter a key in the settings. Rehearsals need no key.`,
      );
    },
    /** The key of an agent of another make, only for its gateway: Hox's own where it is the same variable. */
    of(name: string): string {
      if (name === variable) return this.get();
      named.add(name);
      withholdFromChildren(name);
      const key = fromEnv(name);
      if (key !== null) return key;
      throw new Refusal(
        `The environment variable ${name} with the key of this agent is not set.`,
        `Set ${name} and start Hox again, or name another variable as api_key_env of its [[agent]].`,
      );
    },
    /** Whether `of` would give one. */
    has: (name: string): boolean =>
      (name === variable ? (fromEnvironment() ?? stored ?? session) : fromEnv(name)) !== null,
    /** What must not be shown, in whatever a command prints. */
    secrets: (): readonly string[] =>
      [...[...named].map(fromEnv), stored, session].filter((key) => key !== null),
    view(): KeyView {
      const environment = fromEnvironment();
      const key = environment ?? stored ?? session;
      return {
        source: environment ? "environment" : stored ? "keychain" : session ? "session" : "none",
        // Of a short key four characters would be too much of it.
        hint: key === null ? null : key.length >= 12 ? key.slice(-4) : "…",
        baseUrl: baseUrl(),
        isVerified,
        warning: warning ?? keychain?.warning() ?? null,
      };
    },
    /**
     * Saves a key that the provider does not refuse.
     * @param verify asks the provider; answers null, or why it could not be asked. Throws where the key is refused.
     */
    async set(key: string, verify: (key: string) => Promise<string | null>): Promise<void> {
      checkCharacters(key);
      if (fromEnvironment()) {
        throw new Refusal(
          `${variable} is set in the environment and takes precedence.`,
          "To use another key, unset it and restart Hox.",
        );
      }
      const unverified = await verify(key);
      if (keychain) {
        await keychain.set(key);
        stored = key;
      } else session = key;
      isVerified = unverified === null;
      warning = unverified;
    },
    async clear(): Promise<void> {
      if (fromEnvironment()) {
        throw new Refusal(`The key is set by ${variable}.`, "Unset it there and restart Hox.");
      }
      await keychain?.clear();
      stored = null;
      session = null;
      isVerified = false;
      warning = null;
    },
  };
}

/** How long saving a key waits for the provider. */
const verifyMs = 10_000;

/**
 * Asks the provider whether it accepts a key, which costs nothing.
 * @returns null: it does; else why it could not be asked
 * @throws Refusal where the provider refuses the key
 */
export async function verifyKey(driver: Pick<ModelDriver, "checkModel">): Promise<string | null> {
  try {
    await driver.checkModel?.(defaultConfig.models.default, AbortSignal.timeout(verifyMs));
    return null;
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    // Both answers come only after the key was accepted.
    if (error.kind === "permission" || error.kind === "model-not-found") return null;
    if (error.kind !== "authentication")
      return `Saved, but not verified: ${error.message} Hox tests it in the first run.`;
    throw new Refusal(
      "The provider rejected this key.",
      "Copy the complete key again from the provider's console, and check that it still exists there. Nothing was saved.",
    );
  }
}

function checkCharacters(key: string): void {
  if (/[^\x21-\x7e]/u.test(key))
    throw new Refusal(
      "Not a valid API key: it contains spaces or unusual characters.",
      "Copy the complete key again.",
    );
}
