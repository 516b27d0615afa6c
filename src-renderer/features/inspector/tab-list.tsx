import { Tabs } from "@base-ui/react/tabs";
import { cx } from "../../kit/class-names.ts";

interface TabListProps {
  readonly label: string;
  /** Each with its name; one without a label is not shown. */
  readonly tabs: readonly (readonly [name: string, label: string | false | null | undefined])[];
  /** Of the list and of each tab. */
  readonly className?: string;
  readonly tabClassName?: string;
}

/** The tabs of whatever is inspected. */
export const TabList = ({ label, tabs, className, tabClassName = "px-2" }: TabListProps) => (
  <Tabs.List aria-label={label} className={cx("flex shrink-0 overflow-x-auto border-b px-2", className)}>
    {tabs.map(
      ([name, text]) =>
        text && (
          <Tabs.Tab
            key={name}
            value={name}
            className={cx(
              "h-8 shrink-0 border-b-2 border-transparent text-sm text-muted outline-offset-[-2px] hover:text-text data-[active]:border-accent data-[active]:font-medium data-[active]:text-text",
              tabClassName,
            )}
          >
            {text}
          </Tabs.Tab>
        ),
    )}
  </Tabs.List>
);
