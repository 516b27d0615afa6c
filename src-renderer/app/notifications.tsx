import { Toast } from "@base-ui/react/toast";
import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from "lucide-react";
import { focusWhenLost } from "../kit/focus-soon.ts";
import { frontElement } from "../state/go-to.ts";
import { type NoticeData, type NoticeLevel, notices } from "../state/notify.ts";

const maxShown = 4;

const icons: Readonly<Record<NoticeLevel, React.ReactNode>> = {
  info: <Info size={15} className="text-info" aria-hidden />,
  success: <CircleCheck size={15} className="text-success" aria-hidden />,
  warning: <TriangleAlert size={15} className="text-warning" aria-hidden />,
  error: <CircleAlert size={15} className="text-danger" aria-hidden />,
};

/** Notifications at the lower edge of the graph or page. Their time stops under the pointer and while they have the focus. */
export const Notifications = () => (
  <Toast.Provider toastManager={notices} limit={maxShown}>
    <Toast.Viewport
      render={<section />}
      aria-label="Notifications"
      className="notifications fixed z-50 flex flex-col-reverse gap-2 outline-none"
    >
      <List />
    </Toast.Viewport>
  </Toast.Provider>
);

const List = () => {
  const { toasts } = Toast.useToastManager<NoticeData>();
  return toasts.map((toast) => <Notification key={toast.id} toast={toast} />);
};

/** Not a dialog, which asks for something. */
const group = { role: "group", "aria-modal": undefined } as const;

type Shown = ReturnType<typeof Toast.useToastManager<NoticeData>>["toasts"][number];

function Notification({ toast }: { readonly toast: Shown }) {
  const { count = 1, action } = toast.data ?? {};
  return (
    <Toast.Root
      toast={toast}
      {...group}
      // A drag selects text.
      swipeDirection={[]}
      className="appear rounded-lg border bg-raised shadow-pop data-limited:hidden"
    >
      <Toast.Content className="flex items-start gap-2.5 py-2.5 pr-2 pl-3">
        <span className="mt-0.5">{icons[toast.type as NoticeLevel]}</span>
        <div className="min-w-0 flex-1 break-words" data-selectable>
          <p>
            <Toast.Title render={<span />}>{toast.title}</Toast.Title>
            {count > 1 && <span className="text-faint"> ×{count}</span>}
          </p>
          <Toast.Description className="mt-0.5 text-muted">{toast.description}</Toast.Description>
          {action && (
            <Toast.Action
              className="mt-0.5 rounded-sm font-medium text-accent-text hover:underline"
              onClick={() => {
                notices.close(toast.id);
                focusWhenLost(frontElement);
                action.run();
              }}
            >
              {action.label}
            </Toast.Action>
          )}
        </div>
        <Toast.Close
          aria-label="Dismiss"
          aria-hidden={false}
          onClick={() => focusWhenLost(frontElement)}
          className="inline-flex size-6 shrink-0 items-center justify-center rounded-sm text-faint hover:bg-hover hover:text-text"
        >
          <X size={13} aria-hidden />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  );
}
