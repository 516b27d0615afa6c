/** What tests of archangels begin with: their table in the configuration, and what they were told. */
import { call } from "./merge-request-script.ts";
import { requestsOf } from "./read-run.ts";
import type { Fixture } from "./run-fixture.ts";

/** It has looked, and has nothing to say. */
export const nothingToSay = call("nothing_to_say", {});

/** Its entry in `config.toml`; `more` are further lines. */
export const archangelTable = (name: string, more: string): string =>
  `[[archangel]]\nname = "${name}"\npurpose = "Looks for what ${name} looks for."\n${more}\n`;

/** Everything that its model was asked. */
export const askedOf = (one: Fixture, name: string) => requestsOf(one, `archangel-${name}`);

/** The first words of each of its reviews. */
export const promptsTo = (one: Fixture, name: string): readonly string[] =>
  askedOf(one, name).flatMap(({ seen }) => (seen.turn === 0 ? [seen.prompt] : []));
