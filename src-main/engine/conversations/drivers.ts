/** The kinds of conversations that there are. A new one is a line here. */
import type { ConversationDriver } from "../../agent/agent-interface.ts";
import { modelConversations } from "../../agent/conversation.ts";
import { messageDriver } from "../../agent/message-history.ts";
import type { ModelDriver } from "../../model/driver-interface.ts";
import { priceOf } from "../../model/price-table.ts";
import { EngineRefusal } from "../engine-errors.ts";

/** By the names in their tokens. */
const drivers: ReadonlyMap<string, (model: ModelDriver) => ConversationDriver> = new Map([
  [messageDriver, (driver: ModelDriver) => modelConversations({ driver, price: priceOf })],
]);

/**
 * @param name of who holds the conversation; default: Hox itself
 * @throws EngineRefusal for one that this version does not know
 */
export function conversationDriver(model: ModelDriver, name = messageDriver): ConversationDriver {
  const make = drivers.get(name);
  if (make === undefined)
    throw new EngineRefusal(
      `A conversation uses the driver "${name}", which this version of Hox does not have. Available: ${[...drivers.keys()].join(", ")}.`,
      "Use the version of Hox that started it, or reassign the task to another agent.",
    );
  return make(model);
}
