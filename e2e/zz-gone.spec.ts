import { chmod, writeFile, appendFile, access } from "node:fs/promises";
import { join } from "node:path";
import { toolPath } from "../src-main/config/tools.ts";
import { test } from "./test.ts";

for (const n of [4, 12, 25, 35, 45, 55, 65, 75, 85, 95, 105, 115, 125, 135, 145, 155, 165, 175, 185, 195])
test(`jj gone at ${n}`, async ({ start, playground, page }) => {
  const jj = join(playground.folder, "jj-wrapper");
  const count = join(playground.folder, "count");
  await writeFile(count, "");
  await writeFile(jj, `#!/bin/sh\nprintf x >> ${count}\n[ "$(wc -c < ${count})" -lt ${n} ] || rm -f ${jj}\nexec '${toolPath("jj")}' "$@"\n`); await chmod(jj, 0o755);
  playground.environment.HOX_JJ = jj;
  const { app, host } = await start({ pace: 0 });
  await app.watchRehearsal().catch(() => {});
  const gone = () => access(jj).then(() => false, () => true);
  for (let i = 0; i < 60 && !(await gone()); i++) {
    await page.waitForTimeout(700);
    for (const b of [/^1 user_id/u, /^Approve/u, /^Land/u]) {
      const one = page.getByRole("button", { name: b }).first();
      if (await one.isVisible()) await one.click({ timeout: 500 }).catch(() => {});
    }
  }
  const was = await gone();
  await page.waitForTimeout(7000);
  const text = await page.getByRole("region", { name: "Inbox" }).innerText({ timeout: 500 }).catch(() => "?");
  const alive = /JjError|Error|throw/u.test(host.output) ? "DEAD? " + host.output : "alive";
  await appendFile("/work/log/gone-list.txt", `${n} gone=${was} ${alive} ${await page.title()}\n`);
});
