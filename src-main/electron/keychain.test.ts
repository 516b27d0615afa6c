import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { call } from "@orpc/server";
import { beforeEach, expect, it, vi } from "vitest";
import type { HostRouter } from "../api/router.ts";
import { createHost } from "../host.ts";
import { tempDir } from "../testing/kit.ts";
import { createKeychain, KeychainUnavailable } from "./keychain.ts";
import { keychainMachine, safeStorage } from "./testing/electron-stand-in.ts";

vi.mock("electron", () => import("./testing/electron-stand-in.ts"));

const key = "sk-ant-0123456789";
let folder: string;
const file = () => join(folder, "api-key.encrypted");

beforeEach(() => {
  folder = tempDir();
  Object.assign(keychainMachine, {
    backend: "gnome_libsecret",
    available: true,
    rotated: false,
    broken: false,
  });
});

it("stores the key encrypted, for its owner only, until it is cleared", async () => {
  const keychain = createKeychain(folder);
  expect(await keychain.get()).toBeNull();
  await keychain.set(key);
  const stored = readFileSync(file(), "utf8");
  expect(stored).not.toContain(key);
  expect(Buffer.from(stored, "base64").toString()).not.toContain(key);
  if (process.platform !== "win32") expect(statSync(file()).mode & 0o077).toBe(0);
  expect(await createKeychain(folder).get()).toBe(key);
  await keychain.clear();
  expect(await keychain.get()).toBeNull();
});

it("warns only when the store is not safe", () => {
  const keychain = createKeychain(folder, "linux");
  expect(keychain.warning()).toBeNull();
  keychainMachine.backend = "basic_text";
  expect(keychain.warning()).toMatch(/basic_text.*GNOME Keyring.*ANTHROPIC_API_KEY/);
  expect(createKeychain(folder, "darwin").warning()).toBeNull();
});

it("stores nothing without encryption", async () => {
  keychainMachine.available = false;
  const keychain = createKeychain(folder);
  await expect(keychain.set(key)).rejects.toThrow(KeychainUnavailable);
  expect(await keychain.get()).toBeNull();
});

it("reports a key that another keychain has encrypted, instead of none", async () => {
  const keychain = createKeychain(folder);
  await keychain.set(key);
  keychainMachine.broken = true;
  await expect(keychain.get()).rejects.toMatchObject({
    message: expect.stringContaining("bad decrypt"),
    remedy: expect.stringContaining("Enter the key again"),
  });
});

it("encrypts again after the system has changed its own key", async () => {
  const keychain = createKeychain(folder);
  await keychain.set(key);
  safeStorage.encryptStringAsync.mockClear();
  keychainMachine.rotated = true;
  expect(await keychain.get()).toBe(key);
  expect(safeStorage.encryptStringAsync).toHaveBeenCalledExactlyOnceWith(key);
});

it("shows every keychain error with its remedy", async () => {
  vi.stubEnv("ANTHROPIC_API_KEY", "");
  const keychain = createKeychain(folder);
  const host = await createHost({ shell: "electron", version: "1", stateFolder: folder, keychain });
  const { settings } = host.router as HostRouter;
  const refused = async (): Promise<unknown> =>
    call(settings.setKey, { key }).then(
      () => "stored",
      (error: { code?: string; data?: { remedy?: string } }) => [error.code, error.data?.remedy],
    );
  const remedy = (text: RegExp) => ["REFUSED", expect.stringMatching(text)];
  try {
    keychainMachine.available = false;
    expect(await refused()).toEqual(remedy(/Unlock it.*ANTHROPIC_API_KEY/u));
    keychainMachine.available = true;
    safeStorage.encryptStringAsync.mockRejectedValueOnce(new Error("the keyring does not answer"));
    expect(await refused()).toEqual(remedy(/Unlock it/u));
    mkdirSync(file());
    expect(await refused()).toEqual(remedy(/writable/u));
    const cleared = call(settings.clearKey, undefined);
    await expect(cleared).rejects.toMatchObject({
      code: "REFUSED",
      data: { remedy: expect.stringMatching(/Delete/u) },
    });
  } finally {
    await host.close();
    vi.unstubAllEnvs();
  }
});
