import { Minus, Plus } from "lucide-react";
import type { Settings } from "#shared/contract/views/settings.ts";
import { fontSizes } from "#shared/contract/views/window-preferences.ts";
import { IconButton } from "../../kit/button.tsx";
import { Keys } from "../../kit/keys.tsx";
import { Segmented } from "../../kit/segmented.tsx";
import { useHost } from "../../state/host-store.ts";
import { prefer, usePreference } from "../../state/preferences.ts";
import { Section } from "./section.tsx";
import { setTheme, stepFontSize } from "./settings-actions.ts";

/** Theme, size of text, room between things, and where zooming is done. */
export function LookSettings({ theme }: { readonly theme: Settings["theme"] }) {
  const fontSize = usePreference("fontSize");
  const density = usePreference("density");
  const showEvents = usePreference("showEvents");
  const isDesktop = useHost((state) => state.app?.shell === "electron");
  return (
    <Section title="Appearance">
      <div className="flex flex-col gap-2">
        <Row name="Theme">
          <Segmented
            label="Theme"
            value={theme}
            options={[
              { value: "system", label: "System" },
              { value: "light", label: "Light" },
              { value: "dark", label: "Dark" },
            ]}
            onChange={(next) => void setTheme(next)}
          />
        </Row>
        <Row name="Text">
          <IconButton
            label="Smaller text"
            icon={<Minus size={14} />}
            disabled={fontSize <= fontSizes.least}
            onClick={() => stepFontSize(-1)}
          />
          <output aria-label="Text size" className="w-12 text-center tabular-nums">
            {fontSize} px
          </output>
          <IconButton
            label="Larger text"
            icon={<Plus size={14} />}
            disabled={fontSize >= fontSizes.most}
            onClick={() => stepFontSize(1)}
          />
        </Row>
        <Row name="Density">
          <Segmented
            label="Density"
            value={density}
            options={[
              { value: "comfortable", label: "Comfortable" },
              { value: "compact", label: "Compact" },
            ]}
            onChange={(next) => prefer({ density: next })}
          />
        </Row>
        <Row name="Events">
          <label className="flex items-center gap-2">
            <input
              type="checkbox"
              checked={showEvents}
              onChange={(event) => prefer({ showEvents: event.target.checked })}
              className="accent-[var(--accent)]"
            />
            Show notifications for votes and conflicts
          </label>
        </Row>
        <Row name="Zoom">
          <span className="flex items-center gap-1.5 text-sm text-muted">
            <Keys keys="mod+=" /> <Keys keys="mod+-" /> <Keys keys="mod+0" />
            {isDesktop
              ? "or the View menu; saved for the next start"
              : "browser zoom, saved for this address"}
          </span>
        </Row>
      </div>
    </Section>
  );
}

const Row = ({ name, children }: { readonly name: string; readonly children: React.ReactNode }) => (
  <div className="flex min-h-7 items-center gap-1">
    <span className="w-24 shrink-0 text-muted">{name}</span>
    {children}
  </div>
);
