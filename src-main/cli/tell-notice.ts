import type { HostEvent } from "#shared/contract/events.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import type { CommonOptions } from "./command-line.ts";
import { printError, printJson } from "./output.ts";

export function printNotice(
  event: Extract<HostEvent, { kind: "notice" }>,
  { json }: Pick<CommonOptions, "json">,
): void {
  if (json) printJson(event);
  else printError(`${shownLine(event.text)}${event.remedy ? ` ${shownLine(event.remedy)}` : ""}`);
}
