import type { KeyView } from "#shared/contract/views/app.ts";
import { withholdFromChildren } from "../config/child-environment.ts";
import type { Keychain } from "../config/keychain-interface.ts";
import { Refusal } from "./refusal.ts";

const usualVariable = "ANTHROPIC_API_KEY";

/**
 * Where the key comes from, in this order: the environment, the keychain, this session. It never leaves the host. Which
 * variable of the environment holds it, the repository says (`models.api_key_env`).
 */
export class ApiKey {
  readonly #keychain: Keychain | undefined;
  readonly #env: NodeJS.ProcessEnv;
  #stored: string | null = null;
  #session: string | null = null;
  #failure: string | null = null;
  #variable = usualVariable;
  /** Every variable that was named: what they hold stays secret. */
  readonly #named = new Set([usualVariable]);

  constructor(keychain: Keychain | undefined, env: NodeJS.ProcessEnv = process.env) {
    this.#keychain = keychain;
    this.#env = env;
  }

  async load(): Promise<void> {
    try {
      this.#stored = (await this.#keychain?.get()) ?? null;
    } catch (error) {
      const { message, remedy } = error as Error & { remedy?: string };
      this.#failure = [`The keychain could not be read: ${message}`, remedy].filter(Boolean).join(" ");
    }
  }

  /** From now on the environment's key is in this variable, and in no other: it may be another account's. */
  readFrom(name: string): void {
    this.#variable = name;
    this.#named.add(name);
    withholdFromChildren(name);
  }

  get baseUrl(): string | null {
    return this.#env.ANTHROPIC_BASE_URL?.trim() || null;
  }

  /** The key itself, only for the driver. */
  get(): string {
    const key = this.#fromEnvironment() ?? this.#stored ?? this.#session;
    if (key === null) {
      throw new Refusal(
        "There is no API key for the model.",
        `Set ${this.#variable} before starting Hox, or give the key in the settings. A rehearsal needs none.`,
      );
    }
    return key;
  }

  /** What must not be shown, in whatever a command prints. */
  secrets(): readonly string[] {
    const named = [...this.#named].map((name) => this.#env[name]?.trim() || null);
    return [...named, this.#stored, this.#session].filter((key) => key !== null);
  }

  view(): KeyView {
    const environment = this.#fromEnvironment();
    const key = environment ?? this.#stored ?? this.#session;
    return {
      source: environment ? "environment" : this.#stored ? "keychain" : this.#session ? "session" : "none",
      // Of a short key four characters would be too much of it.
      hint: key === null ? null : key.length >= 12 ? key.slice(-4) : "…",
      baseUrl: this.baseUrl,
      warning: this.#failure ?? this.#keychain?.warning() ?? null,
    };
  }

  async set(key: string): Promise<void> {
    if (/[^\x21-\x7e]/u.test(key))
      throw new Refusal(
        "That is not an API key: it holds spaces or unusual characters.",
        "Copy it again, whole.",
      );
    if (this.#fromEnvironment()) {
      throw new Refusal(
        `${this.#variable} is set in the environment and comes first.`,
        "Unset it and start Hox again to use another key.",
      );
    }
    if (this.#keychain) {
      await this.#keychain.set(key);
      this.#stored = key;
      this.#failure = null;
    } else this.#session = key;
  }

  async clear(): Promise<void> {
    if (this.#fromEnvironment()) {
      throw new Refusal(
        `The key comes from ${this.#variable} in the environment.`,
        "Unset it and start Hox again.",
      );
    }
    await this.#keychain?.clear();
    this.#stored = null;
    this.#session = null;
  }

  #fromEnvironment(): string | null {
    return this.#env[this.#variable]?.trim() || null;
  }
}
