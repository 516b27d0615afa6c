import type { Wire } from "#shared/domain/worker/agent-choice.ts";

/** The providers' own addresses, each as its SDK takes it. */
export const endpoints: Readonly<Record<Wire, string>> = {
  anthropic: "https://api.anthropic.com",
  "openai-responses": "https://api.openai.com/v1",
  "openai-chat": "https://api.openai.com/v1",
  gemini: "https://generativelanguage.googleapis.com",
};
