import type { ComponentType } from "react";
import { type OpenDialog, useSelection } from "../state/selection-store.ts";

/** A dialog that is mounted while the window's one open dialog is the one of this name. */
export const dialogWhenOpen = (name: NonNullable<OpenDialog>, Dialog: ComponentType): ComponentType =>
  function DialogWhenOpen() {
    const isOpen = useSelection((state) => state.dialog === name);
    return isOpen ? <Dialog /> : null;
  };
