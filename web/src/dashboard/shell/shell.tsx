/** The layout around every page: the navigation at the left, which is a drawer on narrow screens, and the bar at the top. */
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { useDashboard } from '../session/use-dashboard.ts';
import { Navigation } from './navigation.tsx';
import { OfflineLine } from './offline-line.tsx';
import styles from './shell.module.css';
import { TopBar } from './top-bar.tsx';

export function Shell({ under, children }: { under: string | undefined; children: ReactNode }) {
  const { t } = useTranslation();
  const { app, member } = useDashboard();
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  return (
    <div className={styles.shell}>
      <a href="#content" className={styles.skip}>
        {t('shell.skip')}
      </a>
      <aside className={styles.side}>
        <div className={styles.stays}>
          <p className={styles.merchant}>{member.merchant.name}</p>
          <Navigation under={under} />
        </div>
      </aside>
      <Dialog isDrawer isOpen={isDrawerOpen} onClose={() => setDrawerOpen(false)} title={member.merchant.name}>
        <Navigation under={under} onGo={() => setDrawerOpen(false)} />
      </Dialog>
      <div className={styles.main}>
        <TopBar openDrawer={() => setDrawerOpen(true)} />
        <OfflineLine />
        {app.mode === 'TEST' && (
          <aside id="test-line" aria-labelledby="test-line" className={styles.testLine}>
            {t('shell.testLine')}
          </aside>
        )}
        <main id="content" className={styles.content} tabIndex={-1}>
          {children}
        </main>
      </div>
    </div>
  );
}
