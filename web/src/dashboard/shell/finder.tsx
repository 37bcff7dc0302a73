/** The content of the search dialog, which finds pages, payments, customers and more by ids, hashes, addresses, emails and references. */
import { Command } from 'cmdk';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { DashboardSearchDocument } from '../../../../generated/web/documents.ts';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Icon } from '../../ui/icon.tsx';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { Status } from '../../ui/state/status.tsx';
import { pages } from '../pages.ts';
import { useAsk } from '../session/use-ask.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { hitGroups, type SearchHit } from './search-hits.ts';
import styles from './shell.module.css';

/** A single letter would match too much to be useful. */
const LEAST_LETTERS = 2;
const TYPING_MS = 150;

export function Finder({ close }: { close: () => void }) {
  const { t } = useTranslation();
  const { app } = useDashboard();
  const [, go] = useLocation();
  const [text, setText] = useState('');
  const asked = useSettled(text.trim());
  const isEnabled = asked.length >= LEAST_LETTERS;
  const { data, error, isFetching } = useAsk(
    DashboardSearchDocument,
    { text: asked, appId: app.id },
    { isEnabled, keepsLast: true },
  );
  const groups = isEnabled && data ? hitGroups(data.search) : [];
  const open = (path: string) => {
    close();
    go(path);
  };
  const named = pages.filter(
    ({ icon, key }) => icon && t(`shell.pages.${key}`).toLowerCase().includes(asked.toLowerCase()),
  );
  return (
    <Command shouldFilter={false} label={t('shell.search.open')} className={styles.finder}>
      <Command.Input
        value={text}
        onValueChange={setText}
        placeholder={t('shell.search.placeholder')}
        className={styles.finderInput}
        maxLength={255}
      />
      <ErrorNote error={error} />
      <Command.List className={styles.found}>
        {!isFetching && <Command.Empty className={styles.nothing}>{t('shell.search.nothing')}</Command.Empty>}
        {groups.map(({ kind, hits }) => (
          <Command.Group key={kind} heading={t(`shell.pages.${kind}`)}>
            {hits.map((hit) => (
              <Command.Item key={hit.href} value={hit.href} onSelect={() => open(hit.href)}>
                <Hit hit={hit} />
              </Command.Item>
            ))}
          </Command.Group>
        ))}
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

function Hit({ hit: { title, more, status, amount } }: { hit: SearchHit }) {
  const formats = useFormats();
  return (
    <>
      {amount && <span className={styles.foundName}>{formats.fiat(amount.amount, amount.currency)}</span>}
      {title && <span className={styles.foundName}>{title}</span>}
      <span className={styles.foundMore}>{more}</span>
      {status && <Status status={status} />}
    </>
  );
}

/** The text after a pause in typing. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
