/** Ctrl K: pages, apps and payments, found by ids, hashes, addresses, references and e-mails. */
import { Command } from 'cmdk';
import { useDeferredValue, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { DashboardSearchDocument } from '../../../../generated/web/documents.ts';
import { Button } from '../../ui/button/button.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Icon } from '../../ui/icon.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { Status } from '../../ui/state/status.tsx';
import { pages } from '../pages.ts';
import { useAsk } from '../session/use-ask.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import styles from './shell.module.css';

/** A single letter finds too much to be worth asking. */
const LEAST_LETTERS = 2;

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
        <Finder close={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function Finder({ close }: { close: () => void }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { app } = useDashboard();
  const [, go] = useLocation();
  const [text, setText] = useState('');
  const asked = useDeferredValue(text.trim());
  const { data, isFetching } = useAsk(
    DashboardSearchDocument,
    { appId: app.id, search: asked },
    { isEnabled: asked.length >= LEAST_LETTERS, keepsLast: true },
  );
  const found = asked.length >= LEAST_LETTERS ? data : undefined;
  const open = (path: string) => {
    close();
    go(path);
  };
  const isNamed = (name: string) => name.toLowerCase().includes(asked.toLowerCase());
  const named = pages.filter(({ icon, key }) => icon && isNamed(t(`shell.pages.${key}`)));
  return (
    <Command shouldFilter={false} label={t('shell.search.open')} className={styles.finder}>
      <Command.Input
        value={text}
        onValueChange={setText}
        placeholder={t('shell.search.placeholder')}
        className={styles.finderInput}
        maxLength={255}
      />
      <Command.List className={styles.found}>
        {!isFetching && <Command.Empty className={styles.nothing}>{t('shell.search.nothing')}</Command.Empty>}
        {found && found.paymentIntents.nodes.length > 0 && (
          <Command.Group heading={t('shell.search.payments')}>
            {found.paymentIntents.nodes.map((payment) => (
              <Command.Item key={payment.id} value={payment.id} onSelect={() => open(`/payments/${payment.id}`)}>
                <span className={styles.foundName}>{formats.fiat(payment.amount, payment.currency)}</span>
                <span className={styles.foundMore}>{payment.externalId ?? payment.id}</span>
                <Status status={payment.status} />
              </Command.Item>
            ))}
          </Command.Group>
        )}
        {named.length > 0 && (
          <Command.Group heading={t('shell.search.pages')}>
            {named.map(({ key, path, icon }) => (
              <Command.Item key={key} value={`page ${key}`} onSelect={() => open(path)}>
                {icon && <Icon name={icon} />} {t(`shell.pages.${key}`)}
              </Command.Item>
            ))}
          </Command.Group>
        )}
      </Command.List>
    </Command>
  );
}
