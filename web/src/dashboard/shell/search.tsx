/** The search dialog, opened with Ctrl K: finds pages, apps and payments by ids, hashes, addresses, references and emails. */
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import styles from './shell.module.css';

/** Most visits do not use the search, so its code is loaded when it is opened. */
const Finder = lazy(async () => ({ default: (await import('./finder.tsx')).Finder }));

export function Search() {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setOpen((open) => !open);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
  return (
    <>
      <Button icon="search" className={styles.search} onPress={() => setOpen(true)} aria-keyshortcuts="Control+K">
        <span className={styles.searchWords}>{t('shell.search.open')}</span>
        <kbd className={styles.key}>Ctrl K</kbd>
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title={t('shell.search.open')} isWide>
        <Suspense fallback={<Skeleton lines={4} />}>
          <Finder close={() => setOpen(false)} />
        </Suspense>
      </Dialog>
    </>
  );
}
