import { joinMessages } from "#shared/domain/messages/join-messages.ts";
import type { MessageEvent } from "./run-events.ts";
import type { RunModel } from "./run-model.ts";

/** What a message's event changes of a run. */
export function reduceMessages(model: RunModel, event: MessageEvent): Partial<RunModel> {
  switch (event.kind) {
    case "MessagesArchived":
      return model.messages === null ? { messages: event.messages } : {};
    case "MessagesPutAway":
      return { putAwayMessages: joinMessages(model.putAwayMessages, event.messages) };
    case "MessageSent":
      // Sent once, however often that was written down.
      return Object.hasOwn(model.messagesSentAt, event.message)
        ? {}
        : { messagesSentAt: { ...model.messagesSentAt, [event.message]: event.at } };
  }
}
