import type { ConversationDriver, ModelConversationOptions } from "./agent-interface.ts";
import { createConversation } from "./conversation.ts";
import { messageDriver } from "./message-history.ts";

/** Conversations whose turns Hox runs itself, with a model that is asked request by request. */
export const modelConversations = (
  model: Pick<ModelConversationOptions, "driver" | "price">,
): ConversationDriver => ({
  name: messageDriver,
  start: (options) => createConversation({ ...options, ...model }),
  resume: (token, options) => createConversation({ ...options, ...model }, token),
});
