import type { CommandHandlers, EngineCommandName } from "#shared/contract/commands.ts";

/** What one part of the engine carries out of what a person commands (`contract/commands.ts`); left out: all of it. */
export type EngineCommands<Names extends EngineCommandName = EngineCommandName> = CommandHandlers<Names>;
