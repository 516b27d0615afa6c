import { expect, it } from "vitest";
import type { AppView } from "#shared/contract/views/app.ts";
import { createJjFetch } from "./tools.ts";

type Install = Parameters<typeof createJjFetch>[0];

/** What a page sees of it, one entry each time it is told. */
function watched(install: Install) {
  const seen: AppView["jjFetch"][] = [];
  let looks = 0;
  const fetch: ReturnType<typeof createJjFetch> = createJjFetch(
    install,
    () => seen.push(fetch.view()),
    async () => looks++,
  );
  return { fetch, seen, looks: () => looks };
}

/** Goes on until it is cancelled, as a server does that sends nothing more. */
const untilCancelled: Install = ({ signal, onProgress }) =>
  new Promise((_, reject) => {
    onProgress({ received: 1, total: 9 });
    signal.addEventListener("abort", () => reject(new Error("cut")));
  });

it("downloads once for all clients, reports progress, and looks for the programs again", async () => {
  let installs = 0;
  const { fetch, seen, looks } = watched(async ({ onProgress }) => {
    installs++;
    onProgress({ received: 5, total: 9 });
  });
  await Promise.all([fetch.start(), fetch.start()]);
  expect(installs).toBe(1);
  expect(seen).toEqual([{ received: 0, total: null }, { received: 5, total: 9 }, null]);
  expect(looks()).toBe(1);
  await fetch.start();
  expect(installs).toBe(2);
});

it("ends without an error when the user cancels it, and can start again", async () => {
  const { fetch, seen, looks } = watched(untilCancelled);
  const started = fetch.start();
  fetch.cancel();
  await started;
  expect(seen.at(-1)).toBeNull();
  expect(looks()).toBe(0);
  const again = fetch.start();
  expect(fetch.view()).not.toBeNull();
  await fetch.close();
  await again;
  expect(fetch.view()).toBeNull();
});

it("reports an error to all clients, and can be retried", async () => {
  const { fetch, seen } = watched(() => Promise.reject(new Error("no connection")));
  await expect(fetch.start()).rejects.toThrow("no connection");
  expect(seen.at(-1)).toBeNull();
  await fetch.close();
});
