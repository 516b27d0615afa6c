/** A safe place for the API key. */
export interface Keychain {
  get(): Promise<string | null>;
  set(key: string): Promise<void>;
  clear(): Promise<void>;
  /** Says when the place is not really safe (Linux without a keyring), with the remedy; null when it is. */
  warning(): string | null;
}
