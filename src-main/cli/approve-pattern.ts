/** A pattern's text is read before it is approved, and the approval is for what was read. */
import type { PatternPreview } from "#shared/contract/views/pattern.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { block } from "#shared/domain/text/text-block.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode } from "./command-line.ts";
import { consent } from "./consent.ts";
import { print, printJson } from "./output.ts";
import { diffLines, patternNamed } from "./patterns.ts";
import { type RunClient, withRunClient } from "./run-client.ts";

type Asks = CommonOptions & { readonly yes?: boolean };

export const approvePattern = (id: string, options: Asks): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    const pattern = await patternNamed(client, id);
    if (pattern.state === "approved")
      throw new CommandError(
        `${pattern.id} is already approved as version ${pattern.version}.`,
        `To change it: hox patterns edit ${pattern.id}`,
      );
    if (pattern.state === "retired")
      throw new CommandError(
        `${pattern.id} is not on the branch.`,
        `Restore it: hox patterns restore ${pattern.id}`,
      );
    return approveText(client, { id: pattern.id }, options);
  });

/** Shows it with what the gates say, asks, and approves just that. @throws CommandError where a gate fails */
export async function approveText(
  client: Pick<RunClient, "execute">,
  asked: { readonly id: string; readonly markdown?: string },
  options: Asks,
): Promise<ExitCode> {
  const preview = await client.execute("pattern.preview", asked);
  if (options.json) printJson({ kind: "preview", ...preview });
  else for (const line of previewLines(preview)) print(line);
  const failed = preview.gates.filter(({ passed }) => !passed);
  if (failed.length > 0)
    throw new CommandError(
      `${asked.id} failed the automatic checks: ${failed.map(({ name, detail }) => `${name}: ${shownLine(detail)}`).join(" ")}`,
      `Edit its text: hox patterns edit ${asked.id}`,
    );
  await consent(
    options,
    `Approve this as version ${preview.version} of ${shownName(asked.id)}, for all matching runs?`,
  );
  const { version } = await client.execute("pattern.approve", { ...asked, shown: preview.shown });
  if (options.json) printJson({ kind: "done", approved: asked.id, version });
  else print(`Approved: version ${version} of ${shownName(asked.id)}.`);
  return exitCode.done;
}

const previewLines = ({ id, text, gates, diff }: PatternPreview): readonly string[] => [
  `${shownName(id)}, as it would be saved:`,
  ...block(text),
  ...(diff === null ? [] : diffLines({ ...diff, lines: diff.lines.filter(({ kind }) => kind !== "same") })),
  ...gates.map(
    ({ name, passed, detail }) => `${passed ? "passed" : "failed"}: ${name}. ${shownLine(detail)}`,
  ),
];
