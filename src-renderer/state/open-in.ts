/** Opens places of changes in the user's own programs; where the window is on another machine, says where they are. */
import { create } from "zustand";
import type { OpenedView } from "#shared/contract/views/app.ts";
import type { OpenerKind } from "#shared/domain/open-in/opener.ts";
import { client } from "../client.ts";
import { attempt, notify } from "./notify.ts";

type Elsewhere = Extract<OpenedView, { kind: "elsewhere" }>;

/** A place on the machine of the host, which is another one than the window's. */
export const useElsewhere = create<{ readonly place: (Elsewhere & { readonly for: OpenerKind }) | null }>(
  () => ({ place: null }),
);

export const openerNames: Readonly<Record<OpenerKind, string>> = {
  editor: "editor",
  terminal: "terminal",
  files: "file manager",
};

/** @param at a file of the change, and a line of it; left out: all of its working copy */
export function openIn(
  kind: OpenerKind,
  changeId: string,
  at: { readonly path: string; readonly line?: number } | null = null,
): void {
  const place = { path: at?.path ?? null, line: at?.line ?? null };
  void attempt(`Could not open in the ${openerNames[kind]}`, async () => {
    const opened = await client.openIn.open({ kind, changeId, ...place });
    if (opened.kind === "elsewhere") useElsewhere.setState({ place: { ...opened, for: kind } });
    else notify("info", `Opened in ${opened.program}.`, opened.note);
  });
}
