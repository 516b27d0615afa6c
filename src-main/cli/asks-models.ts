/** For commands that ask models where no host works on the repository: the person's settings, and their key. */
import { createApiKey } from "../api/api-key.ts";
import { readSettings } from "../config/settings.ts";
import { defaultStateFolder } from "../config/state-folder.ts";
import { createAnthropicDriver } from "../model/anthropic-driver.ts";
import { loadPriceTable, modelFacts } from "../model/price-table.ts";
import { createRateLimit } from "../model/rate-limit.ts";
import type { Asking } from "./inactive-engine.ts";

export async function asksModels(): Promise<Asking> {
  const { settings } = await readSettings(defaultStateFolder());
  const key = createApiKey(undefined);
  await key.load();
  const scheduler = createRateLimit();
  return {
    settings: () => settings,
    secrets: () => key.secrets(),
    async driverFor({ apiKeyEnv }) {
      key.readFrom(apiKeyEnv);
      return createAnthropicDriver({
        apiKey: key.get(),
        ...(key.baseUrl === null ? {} : { baseUrl: key.baseUrl }),
        scheduler,
        models: modelFacts(loadPriceTable()),
      });
    },
  };
}
