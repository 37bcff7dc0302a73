/** Limits the effect of a rendering error to the page in which it occurs. The navigation remains usable. */
import { Component, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button/button.tsx';
import { Note } from '../../ui/state/note.tsx';

export class FaultBoundary extends Component<{ children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override render() {
    return this.state.isBroken ? <Broken /> : this.props.children;
  }
}

/** After a new version was installed, code of the old one is no longer available, and a reload loads the new one. */
function Broken() {
  const { t } = useTranslation();
  return (
    <Note
      tone="bad"
      isUrgent
      title={t('shell.broken.title')}
      actions={
        <Button size="small" onPress={() => location.reload()}>
          {t('shell.broken.reload')}
        </Button>
      }
    >
      {t('shell.broken.about')}
    </Note>
  );
}
