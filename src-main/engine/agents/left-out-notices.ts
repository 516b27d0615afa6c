import { shownName } from "#shared/domain/text/shown-text.ts";
import type { CacheLeftOut } from "../../tools/caches-left-out.ts";
import type { RunScreen } from "../ports.ts";

/** Tells in a worker's transcript, once, which of its files are no part of its work. */
export function leftOutNotices(run: RunScreen, worker: string) {
  let told = "";
  const toldCaches = new Set<string>();
  const notice = (text: string): void => run.appendTranscript(worker, { kind: "notice", text });
  return {
    /** What jj did not record would be gone with the folder, and nobody would know why. */
    tellUnsnapshotted(paths: readonly string[]): void {
      const names = paths.map(shownName).toSorted().join(", ");
      if (names !== "" && names !== told)
        notice(`Not recorded, so never a part of the work (too large, or a name that is no UTF-8): ${names}`);
      told = names;
    },
    tellCaches(caches: readonly CacheLeftOut[]): void {
      const news = caches.filter(({ path }) => !toldCaches.has(path));
      for (const { path } of news) toldCaches.add(path);
      if (news.length === 0) return;
      const names = news.map(({ path, reason }) => `${shownName(path)} (${reason})`).join(", ");
      notice(`Made by tools, so never a part of the work: ${names}`);
    },
  };
}
