/** Somebody else who moves a branch on at the worst moment: right before a jj command of ours. */
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { toolPath } from "../../config/tools.ts";

/** What they put on the branch. */
export const landedElsewhere = "Landed beside";

/**
 * A jj before whose command somebody lands on a branch, once it is armed; used by whatever is started from now on, until the
 * test is over.
 *
 * @param command as it stands among the arguments, such as `bookmark set`
 * @returns arms it, for one time
 */
export async function crossedAt(command: string, branch: string): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "hox-crossing-"));
  folders.push(folder);
  const [real, armed, wrapper] = [toolPath("jj"), join(folder, "armed"), join(folder, "jj")];
  await writeFile(
    wrapper,
    `#!/bin/sh
case "$*" in
*" ${command} "*)
  if mv "${armed}" "${armed}.taken" 2>/dev/null; then
    "${real}" new ${branch} -m "${landedElsewhere}" >/dev/null 2>&1
    "${real}" bookmark set ${branch} -r @ >/dev/null 2>&1
  fi ;;
esac
exec "${real}" "$@"
`,
  );
  await chmod(wrapper, 0o755);
  vi.stubEnv("HOX_JJ", wrapper);
  return () => writeFile(armed, "");
}

const folders: string[] = [];

/** For the end of each test, once nobody uses it any more. */
export async function removeCrossings(): Promise<void> {
  vi.unstubAllEnvs();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
}
