/** Asks before unsaved changes are lost: by a link of the page, by the browser's back button, or by closing a dialog. */
import { useEffect, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../button/button.tsx';
import { Dialog } from '../../overlays/dialog.tsx';
import { askToLeave, hasUnsaved, leaving, unsavedPlace } from './unsaved-forms.ts';

export function LeaveGuard() {
  const { t } = useTranslation();
  const pending = useSyncExternalStore(leaving.subscribe, leaving.pending);
  useEffect(() => {
    // In the capture phase, so that the router does not see a step back until the viewer has agreed to it.
    addEventListener('popstate', holdBack, { capture: true });
    return () => removeEventListener('popstate', holdBack, { capture: true });
  }, []);
  return (
    <Dialog
      isOpen={pending !== undefined}
      onClose={leaving.stay}
      title={t('everywhere.unsaved.title')}
      about={t('everywhere.unsaved.about')}
      actions={
        <>
          <Button onPress={leaving.leave} look="danger">
            {t('everywhere.unsaved.discard')}
          </Button>
          <Button onPress={leaving.stay} look="primary">
            {t('everywhere.unsaved.stay')}
          </Button>
        </>
      }
    />
  );
}

/** The browser has already navigated back. The page's address is added again, and the navigation is repeated if the viewer agrees. */
function holdBack(event: PopStateEvent): void {
  if (!hasUnsaved() || location.href === unsavedPlace()) return;
  event.stopImmediatePropagation();
  history.pushState(null, '', unsavedPlace());
  askToLeave(() => history.back());
}
