import { useEffect } from "react";
import { isTyping, matches } from "../kit/keyboard.ts";
import { isAvailable, registeredActions } from "../registry/registry.ts";
import { useSelection } from "../state/selection-store.ts";

/** The keys that work everywhere. What has the focus goes first and may take a key for itself. */
export function useShortcuts(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return;
      const typing = isTyping(event.target);
      const inDialog = useSelection.getState().dialog !== null;
      for (const action of registeredActions()) {
        if (!action.keys || !matches(event, action.keys)) continue;
        if ((typing && !action.whileTyping) || !isAvailable(action)) continue;
        if (inDialog && action.id !== "palette") continue;
        event.preventDefault();
        action.run();
        return;
      }
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
