import type { Script } from "../../model/stand-in/script.ts";
import { profilesScript } from "../profiles.ts";
import { receiptsScript } from "../receipts.ts";
import { tidesScript } from "../tides.ts";

const scripts: ReadonlyMap<string, Script> = new Map([
  ["profiles", profilesScript],
  ["receipts", receiptsScript],
  ["tides", tidesScript],
]);

/** What the model of a rehearsal says. */
export function rehearsalScript(name: string): Script {
  const script = scripts.get(name);
  if (!script) throw new Error(`No rehearsal named "${name}".`);
  return script;
}
